#ifndef SCHEDLENS_BASIS_H_
#define SCHEDLENS_BASIS_H_

// What a measured number rests on, as data and as the words of the reports.

#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// The rule that gave a number or its bounds.
enum class BasisKind {
  kNone,                  ///< nothing is known
  kExact,                 ///< counted or added up
  kBuckets,               ///< the bucket that the rank is in
  kSum,                   ///< a histogram's buckets and its sum
  kScrapeSums,            ///< the same, scrape interval by scrape interval
  kSums,                  ///< a quotient of sums
  kEdges,                 ///< the same, with what attempts at the window's edges make of it
  kSumDifference,         ///< a difference of sums
  kExtensionPoints,       ///< a stage by the extension points it consists of
  kRateLimiter,           ///< the client's rate limiter
  kCountsOverThreshold,   ///< counts over the alert's threshold
  kBaseline,              ///< against the baseline
  kMoreObservations,      ///< against the baseline: the part of a change of mix
  kCostlierObservations,  ///< against the baseline: the part of a change of cost
  kAnyPairing,            ///< proven for every pairing of the stages' observations
  kReconstruction,        ///< the same, with a value by reconstructed attempts
  kSampledCycles,         ///< the tenth of the cycles that plugins are measured in
  kLossySample,           ///< a share of such cycles
  kLoopStages,            ///< the stages of the scheduling loop, seconds a second
  kPodAttempts,           ///< the histogram of a pod's attempts
  kPodLessAttempt,        ///< a pod's duration less its last attempt's
  kMeanOfScrapes,         ///< the mean of a gauge's samples
  kGrowth,                ///< a share of what grew against the baseline
  kNeighbours,            ///< sums of the neighbours, between their own scrapes
  kReplays,               ///< replays in the reference scheduler
  kOther,                 ///< read from a report: in words that this version does not write
};

struct Basis {
  // Implicit: most numbers rest on a rule alone.
  Basis(BasisKind by = BasisKind::kNone) : kind(by) {}  // NOLINT(google-explicit-constructor)

  BasisKind kind;
  /// Histograms of the same observations that narrowed the bounds; of kOther the words.
  std::vector<std::string> names;

  bool empty() const { return kind == BasisKind::kNone; }
  bool operator==(const Basis&) const = default;
};

/// "buckets", "per-scrape sums and binding_duration", ...; empty where nothing is known.
std::string ToString(const Basis& basis);
/// Reads what ToString wrote; any other words are kOther.
Basis ParseBasis(std::string_view words);

}  // namespace schedlens

#endif  // SCHEDLENS_BASIS_H_
