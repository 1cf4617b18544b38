#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_OUTSIDE_FIT_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_OUTSIDE_FIT_H_

// Who took what bindings spent outside the service level indicator: what of each webhook's and each
// priority level's own seconds was of bindings is in no metric, but the seconds rise and fall
// together from scrape to scrape.

#include <vector>

#include "analysis/neighbours/meter.h"

namespace schedlens {

/// Of one contributor.
struct OutsideShare {
  double share = 0;      ///< of its own seconds that bindings met, 0 to 1: a guess, proves nothing
  bool replaced = true;  ///< the others explain the same scrapes without it
};

/// Shares s with sum of s * own = `outside` between the scrapes, by least squares; scrapes within
/// `window` weigh most. `replaced` where leaving the contributor out fits the window hardly worse,
/// or where there are too few scrapes to tell. Those that nothing tells apart get the same share,
/// as do all but the 39 that took most in the window.
std::vector<OutsideShare> FitOutside(const Meter& outside, const std::vector<Meter>& own,
                                     const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_OUTSIDE_FIT_H_
