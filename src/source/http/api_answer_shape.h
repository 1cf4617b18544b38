#ifndef SCHEDLENS_SOURCE_HTTP_API_ANSWER_SHAPE_H_
#define SCHEDLENS_SOURCE_HTTP_API_ANSWER_SHAPE_H_

// Which value may stand where in an answer of the query API.

#include <string_view>

namespace schedlens {

/// What a value of the answer is. Containers and plain values alike.
enum class AnswerRole {
  kTop,
  kStatus,
  kErrorType,
  kError,
  kWarnings,
  kInfos,
  kPartial,  ///< VictoriaMetrics: true where some of its storage nodes did not answer
  kData,
  kResultType,
  kResult,
  kSeries,
  kMetric,
  kLabelValue,
  kPair,
  kPairs,
  kHistogramPair,
  kHistogramPairs,
  kHistogram,
  kCount,
  kSum,
  kBuckets,
  kBucket,
  kElement,  ///< a plain value in an array
  kSkip,     ///< something newer servers send: read over
};

/// What the value behind a key is. Unknown keys are skipped.
AnswerRole RoleOf(AnswerRole container, std::string_view key);

/// What the elements of an array are. In the header, as is what follows: asked for every sample.
inline AnswerRole ElementOf(AnswerRole array, bool object_or_array) {
  switch (array) {
    case AnswerRole::kPairs:
      return AnswerRole::kPair;
    case AnswerRole::kHistogramPairs:
      return AnswerRole::kHistogramPair;
    case AnswerRole::kBuckets:
      return AnswerRole::kBucket;
    case AnswerRole::kResult:
      return object_or_array ? AnswerRole::kSeries : AnswerRole::kElement;
    case AnswerRole::kHistogramPair:
      return object_or_array ? AnswerRole::kHistogram : AnswerRole::kElement;
    case AnswerRole::kSkip:
      return AnswerRole::kSkip;
    default:
      return AnswerRole::kElement;
  }
}

inline bool IsObject(AnswerRole role) {
  return role == AnswerRole::kTop || role == AnswerRole::kData || role == AnswerRole::kSeries ||
         role == AnswerRole::kMetric || role == AnswerRole::kHistogram;
}

inline bool IsArray(AnswerRole role) {
  return role == AnswerRole::kWarnings || role == AnswerRole::kInfos ||
         role == AnswerRole::kResult || role == AnswerRole::kPair || role == AnswerRole::kPairs ||
         role == AnswerRole::kHistogramPair || role == AnswerRole::kHistogramPairs ||
         role == AnswerRole::kBuckets || role == AnswerRole::kBucket;
}

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_API_ANSWER_SHAPE_H_
