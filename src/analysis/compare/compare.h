#ifndef SCHEDLENS_ANALYSIS_COMPARE_COMPARE_H_
#define SCHEDLENS_ANALYSIS_COMPARE_COMPARE_H_

// Why one quantile reads above another that should contain it (algorithm p99 above e2e p99).
//
// Over the same attempts, in the same layout, with e_i >= a_i for each, the counts keep the order
// at every bound, and so does every interpolated quantile (H6). An inversion is therefore evidence
// that a premise is false. The cases are walked in a fixed order, and the first one that the data
// proves ends the walk.

#include <optional>
#include <string>
#include <vector>

#include "analysis/quantile/quantile.h"

namespace schedlens {

struct CompareRequest {
  QuantileRequest part;   ///< A: what should be the shorter one, and reads above
  QuantileRequest whole;  ///< B
};

/// What became of one case.
enum class CaseOutcome { kProven, kExcluded, kNotTested };

struct ComparedCase {
  int number = 0;  ///< place in the walk, from 1
  std::string id;  ///< "layouts", "labels", "population", "time", "missing-samples", "rate",
                   ///< "repair", "saturation", "sums", "expressions", "premise"
  CaseOutcome outcome = CaseOutcome::kExcluded;
  std::string text;  ///< what was looked at and found
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
  std::string verdict;               ///< the proven case, or that there is no inversion
  std::vector<std::string> believe;  ///< which number answers which question; never empty
  std::optional<double> same_above;  ///< from this bound on both count the same attempts
  double same_count = 0;             ///< how many
  std::vector<std::string> warnings;
  std::vector<std::string> queries;
};

/// Throws what ExplainQuantile throws. When the clocks of both families are known and were given
/// the other way round, they are swapped: `part` is always the one contained in the other.
Comparison Compare(Source& source, const CompareRequest& request);

std::string ToString(CaseOutcome outcome);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_COMPARE_COMPARE_H_
