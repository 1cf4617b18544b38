#include "source/http/api_answer_shape.h"

namespace schedlens {
namespace {

struct KeyRole {
  AnswerRole container;
  std::string_view key;
  AnswerRole role;
};

/// The shape of the answer. A key that is not here is skipped.
constexpr KeyRole kShape[] = {
    {AnswerRole::kTop, "status", AnswerRole::kStatus},
    {AnswerRole::kTop, "errorType", AnswerRole::kErrorType},
    {AnswerRole::kTop, "error", AnswerRole::kError},
    {AnswerRole::kTop, "warnings", AnswerRole::kWarnings},
    {AnswerRole::kTop, "infos", AnswerRole::kInfos},
    {AnswerRole::kTop, "isPartial", AnswerRole::kPartial},
    {AnswerRole::kTop, "data", AnswerRole::kData},
    {AnswerRole::kData, "resultType", AnswerRole::kResultType},
    {AnswerRole::kData, "result", AnswerRole::kResult},
    {AnswerRole::kSeries, "metric", AnswerRole::kMetric},
    {AnswerRole::kSeries, "value", AnswerRole::kPair},
    {AnswerRole::kSeries, "values", AnswerRole::kPairs},
    {AnswerRole::kSeries, "histogram", AnswerRole::kHistogramPair},
    {AnswerRole::kSeries, "histograms", AnswerRole::kHistogramPairs},
    {AnswerRole::kHistogram, "count", AnswerRole::kCount},
    {AnswerRole::kHistogram, "sum", AnswerRole::kSum},
    {AnswerRole::kHistogram, "buckets", AnswerRole::kBuckets},
};

}  // namespace

AnswerRole RoleOf(AnswerRole container, std::string_view key) {
  if (container == AnswerRole::kMetric) return AnswerRole::kLabelValue;
  for (const KeyRole& row : kShape) {
    if (row.container == container && row.key == key) return row.role;
  }
  return AnswerRole::kSkip;
}

}  // namespace schedlens
