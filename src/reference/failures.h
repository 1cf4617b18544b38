#ifndef SCHEDLENS_REFERENCE_FAILURES_H_
#define SCHEDLENS_REFERENCE_FAILURES_H_

// Attempts that failed: the time they took from the loop, and what they cost the pods that were
// bound after all.

#include <vector>

#include "analysis/causes/measurement.h"
#include "reference/arrivals.h"
#include "sim/base/distribution.h"
#include "sim/base/time.h"

namespace schedlens {

struct Fitted;

/// What of the failed attempts the scenario itself cannot say.
struct Failures {
  int merged = 1;             ///< so many failed attempts are played as one of their total time
  double waiting_share = 0;   ///< of the pods that were bound: failed for want of a node before
  sim::Distribution waiting;  ///< seconds that those waited before the attempt that succeeded
};

/// Of the pods whose attempts failed and that were not bound, those that came in the window: their
/// status was patched.
double NewlyStuck(const Measurement& window, const Amount& patches);

/// Adds the window's failed attempts. Pods that failed with an error and were bound later are tried
/// again under the release's own rules; those that waited for a node wait as long as measured;
/// attempts of pods that were not bound take their time from the loop, as often as they were
/// counted. `patches`: status PATCHes of the window. Changes nothing where no attempt failed.
void AddFailures(const Measurement& window, const Amount& patches, const PlayedPart& part,
                 Fitted* fitted);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_FAILURES_H_
