#ifndef SCHEDLENS_REFERENCE_NEIGHBOUR_CHANGE_H_
#define SCHEDLENS_REFERENCE_NEIGHBOUR_CHANGE_H_

// Changes past the scheduler's door: the binding call less what one of its parts took, by the
// bounds of the binding's path.

#include "reference/change.h"

namespace schedlens {

/// `webhook.NAME=removed`. Throws Error(kInsufficientData) where the data do not say what the
/// webhook took of the bindings: no API server's metrics, no such webhook (the nearest one is
/// named), no service level indicator.
void RemoveWebhook(const Change& change, const Investigation& investigation, Changed* changed);

/// `etcd.fsync=baseline`: storage takes what it took in the quiet period. Throws
/// Error(kInsufficientData) where the data do not say what it took then and now.
void RestoreStorage(const Investigation& investigation, Changed* changed);

/// What goes from the binding call: parts of 1 of its mean, now and in the quiet period.
struct GonePart {
  double now = 0, quiet = 0;
};

/// A call without that part, never quicker than it was without it in the quiet period. What it took
/// then tells which form is left: `evenly` each call loses the same part of what it has grown by,
/// else so many calls are as quick as then. What it had then already each call loses alike.
sim::Distribution Without(const sim::Distribution& now, const sim::Distribution& quiet,
                          const GonePart& gone, bool evenly);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_NEIGHBOUR_CHANGE_H_
