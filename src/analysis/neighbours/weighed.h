#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_WEIGHED_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_WEIGHED_H_

#include <string>
#include <vector>

#include "analysis/causes/weights.h"
#include "analysis/neighbours/meter.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// From this much of the growth on a cause behind it may be certain.
inline constexpr double kCertainWeight = 0.5;

/// A part of the path, and what its growth is of the call's.
struct Weighed {
  std::string cause, object;
  Between part, growth;
  double weight = 0, proven = 0;
  bool tied = false;  ///< a metric that is not there would tell
  std::vector<Evidence> evidence;
};

/// The cause as a report tells it: `certain` only where no metric that is missing could tell
/// otherwise, `possible` for a tie. Its share is of `e2e` seconds.
CauseBehind Told(const Weighed& w, double e2e);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_WEIGHED_H_
