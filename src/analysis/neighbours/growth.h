#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_GROWTH_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_GROWTH_H_

// When more of something is a change, and not chance.

#include <cstddef>

namespace schedlens {

/// How often something was seen in two windows.
struct Counted {
  double now = 0, before = 0;                  ///< counts
  double seconds_now = 1, seconds_before = 1;  ///< lengths of the windows; of a level both 1
};

/// True where its rate is 1.5 times what it was or more, and chance would put so much of both
/// windows' count into the later one (a binomial test, exact) with one percent at most, over all
/// of the `tried` things together. Nothing grows in a window without a length.
bool HasGrown(const Counted& counted, std::size_t tried);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_GROWTH_H_
