#pragma once

// One quantile explained, and two compared, as `quantile` and `compare` show them: plain values,
// seconds.

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/series.h"
#include "contract/diagnosis.h"
#include "schedlens/estimate.h"

namespace schedlens {

/// Proven bounds of a number of observations.
struct CountBounds {
  double low = 0;
  double high = 0;
};

/// Bounds of one rank, and the bucket in which the rank lies.
struct ProvenRank {
  Interval bucket;        ///< from the bounds alone; an open end is absent
  double in_bucket = 0;   ///< observations in it (the most possible when layouts differ)
  double below = 0;       ///< observations below it (the least possible when layouts differ)
  Interval interval;      ///< within `bucket`, narrowed by the sums
  bool narrowed = false;  ///< the sums did narrow it, by at least 0.1 % of its width
};

/// A quantile's rank and bounds, with what made them as wide or narrow as they are.
struct ProvenQuantile {
  double observations = 0;
  double rank = 0;  ///< ceil(q n), at least 1; q n itself when counts are fractions
  ProvenRank proof;
  Basis basis;                    ///< kBuckets or kScrapeSums, and links; empty without data
  std::vector<Message> reasons;   ///< repairs, fallbacks, knife edge, open bucket
  std::vector<Message> narrower;  ///< what would narrow it
};

struct ThresholdVerdict {
  /// The truth against the threshold: above it, not above it, or not to be known. Empty without
  /// observations.
  std::optional<Decided> decided;
  CountBounds above;           ///< observations above the threshold
  bool inside_bucket = false;  ///< no bound of some series equals the threshold
  /// The greatest bound at or below and the smallest finite bound at or above it: a threshold there
  /// is decided by counting in every window.
  std::optional<double> decidable_below;
  std::optional<double> decidable_above;
  /// For > and >=: a server's value is never more than the highest finite bound.
  bool can_never_fire = false;
  std::optional<double> top_bound;
};

/// One bucket of the drawing; an open end is +Inf.
struct BucketCount {
  double low = 0;
  double high = 0;
  double count = 0;
};

/// The alert's threshold against the truth.
struct ThresholdExplanation {
  std::string comparison;
  double threshold = 0;
  ThresholdVerdict verdict;
  std::vector<Message> notes;  ///< nearest decidable thresholds, "can never fire", ...
};

struct QuantileExplanation {
  std::string metric;  ///< family
  Labels labels;       ///< what the aggregation keeps; empty when all is one
  double q = 0;
  std::optional<double> shown;  ///< absent for NaN (no data)
  ProvenQuantile proven;
  Measured estimate;
  Interval sampling;                 ///< 95 %, of the process behind the window
  std::vector<BucketCount> buckets;  ///< all, over the window; empty for mixed layouts
  std::vector<Message> reasons;      ///< why the numbers differ or are as wide as they are
  std::optional<ThresholdExplanation> threshold;
};

struct QuantileReport {
  std::vector<QuantileExplanation> rows;  ///< highest `shown` first; never empty
  TimeRange window;                       ///< as asked
  TimeRange seen;                         ///< the scrapes it really spans
  std::vector<Message> warnings;
  std::vector<std::string> queries;
};

/// What one server version's own function gives for the expression, with its `rate`.
struct ServerValue {
  std::string semantics;
  std::optional<double> value;
};

/// What became of one case.
enum class CaseOutcome { kProven, kExcluded, kNotTested };
inline std::string ToString(CaseOutcome outcome) {
  return WordOf(outcome, {"proven", "excluded", "not-tested"});
}

struct ComparedCase {
  int number = 0;  ///< place in the walk, from 1
  std::string id;  ///< "layouts", "labels", "population", "time", "missing-samples", "rate",
                   ///< "repair", "saturation", "sums", "expressions", "premise"
  CaseOutcome outcome = CaseOutcome::kExcluded;
  Message text;  ///< what was checked and found
};

/// The bound at which the fractions are the wrong way round, and what that takes.
struct Witness {
  double bound = 0;
  double part_above = 0;  ///< observations above it
  double whole_above = 0;
  double part_only = 0;   ///< at least so many are in the part's histogram and not in the whole's
  double whole_only = 0;  ///< and the other way round
};

struct Comparison {
  QuantileExplanation part, whole;
  std::optional<double> part_rate, whole_rate;  ///< with the server's rate(), what an alert sees
  bool inverted = false;       ///< the part reads above the whole, by exact increases
  bool rate_inverted = false;  ///< by the server's rate()
  bool rate_repaired = false;  ///< the server said that it made falling counts monotonic
  std::optional<Witness> witness;
  std::vector<ComparedCase> cases;   ///< walked, in order
  Message verdict;                   ///< the proven case, or that there is no inversion
  std::vector<Message> believe;      ///< which number answers which question; never empty
  std::optional<double> same_above;  ///< from this bound on both count the same attempts
  double same_count = 0;             ///< how many
  std::vector<Message> warnings;
  std::vector<std::string> queries;
};

}  // namespace schedlens
