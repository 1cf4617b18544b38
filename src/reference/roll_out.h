#ifndef SCHEDLENS_REFERENCE_ROLL_OUT_H_
#define SCHEDLENS_REFERENCE_ROLL_OUT_H_

// A deployment's roll-out that waits for its pods: when they are bound faster, the next ones come
// faster too.

#include <optional>

#include "reference/change.h"

namespace schedlens {

/// A period of the window in which as many pods as a roll-out keeps pending were binding.
struct RollOut {
  sim::Nanos start = 0, end = 0;  ///< of the fitted scenario's virtual time
  double pods = 0;                ///< that came in it
  int surge = 0;                  ///< binding at once
};

/// Under a limit an open stream of pods lets the binding cycles pile up or drain; a roll-out keeps
/// their number. Found where the gauge of binding goroutines is level over at least eight of its
/// values near its top; none without the gauge or with fewer than ten at once.
std::optional<RollOut> FindRollOut(const Investigation& investigation, const Fitted& fitted);

/// Puts the roll-out in the place of the pods that were counted in its period. They then come as
/// fast as they are bound, whatever `rate` says.
void PlayRollOut(const RollOut& roll_out, Fitted* fitted);

/// After a change of the client's limit: where the limit had held a roll-out back, its pods likely
/// follow their binds from now on; at the extreme they do not, and the assumptions say so. Once for
/// all changes of the limit. False where no roll-out was held back.
bool FollowRollOut(const Investigation& investigation, Changed* changed);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_ROLL_OUT_H_
