#ifndef SCHEDLENS_ANALYSIS_QUANTILE_ATTEMPT_LINKS_H_
#define SCHEDLENS_ANALYSIS_QUANTILE_ATTEMPT_LINKS_H_

// Which histograms of kube-scheduler measure the same attempts, and which of two is the longer:
//   Bind <= binding <= e2e{scheduled} <= pod      algorithm <= e2e{scheduled}
// All are clocks of one attempt that stop (algorithm: start) at the same instant, each starting
// earlier than the one before it. Whether the populations are equal is checked on the data.

#include <string>
#include <string_view>
#include <vector>

#include "contract/series.h"

namespace schedlens {

/// One histogram of the chain: a family and the labels that pick the attempts which were bound.
struct AttemptClock {
  std::string_view name;  ///< as a basis names it
  std::string_view family;
  std::vector<Labels::Pair> labels;
  int reach = 0;         ///< position in the chain: larger contains smaller
  bool on_chain = true;  ///< false: only comparable with clocks that contain it (algorithm)
};

const std::vector<AttemptClock>& AttemptClocks();

/// The clock that a child of a family belongs to; null when it is no clock of bound attempts. A
/// label that the child does not have at all counts as fitting (1.18 has no `result`).
const AttemptClock* ClockOf(std::string_view family, const Labels& labels);

/// The clocks comparable with this one, of other families: each attempt's value in them is larger
/// (`reach` larger) or smaller.
std::vector<const AttemptClock*> LinkedTo(const AttemptClock& clock);

/// The clocks that any clock of a family links to: all of one family have the same reach.
std::vector<const AttemptClock*> LinkedToFamily(std::string_view family);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_QUANTILE_ATTEMPT_LINKS_H_
