#ifndef SCHEDLENS_REFERENCE_CALM_H_
#define SCHEDLENS_REFERENCE_CALM_H_

#include <vector>

#include "reference/change.h"
#include "sim/scenario/scenario.h"

namespace schedlens {

/// The loop's own points.
const std::vector<sim::Cost>& LoopPoints();

/// Where a change takes away what was slow, these stages may be as quick again as in the quiet
/// period: binds that wait together also wake up together, next to the loop, and a machine is
/// busier at one time than at another. The cheapest that the change may make it takes each of them
/// from the quiet period where it was quicker; an assumption says so. Nothing is changed without a
/// quiet period, where they are no slower now, and where a finding that is more than possible says
/// that the loop itself or, where it is among them, the bind is slow.
void MayCalm(const std::vector<sim::Cost>& stages, const Investigation& investigation,
             Changed* changed);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_CALM_H_
