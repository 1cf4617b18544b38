#ifndef SCHEDLENS_REFERENCE_CHANCE_H_
#define SCHEDLENS_REFERENCE_CHANCE_H_

#include "reference/change.h"

namespace schedlens {

/// The scenario with as many pods more (sign 1) or less (-1), those that fail on their own account,
/// and the loop as much dearer or cheaper, as another window like the measured one might have by
/// chance.
Fitted ByChance(const WindowEvidence& c, const Fitted& fitted, double sign);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_CHANCE_H_
