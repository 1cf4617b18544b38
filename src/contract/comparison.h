#ifndef SCHEDLENS_CONTRACT_COMPARISON_H_
#define SCHEDLENS_CONTRACT_COMPARISON_H_

// Two quantiles compared, as `compare` shows it.

#include <optional>
#include <string>
#include <vector>

#include "contract/message.h"
#include "contract/quantile.h"

namespace schedlens {

/// What became of one case.
enum class CaseOutcome { kProven, kExcluded, kNotTested };
/// "proven", "excluded", "not-tested".
std::string ToString(CaseOutcome outcome);

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

#endif  // SCHEDLENS_CONTRACT_COMPARISON_H_
