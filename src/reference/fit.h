#ifndef SCHEDLENS_REFERENCE_FIT_H_
#define SCHEDLENS_REFERENCE_FIT_H_

// From what was measured to a scenario of the reference scheduler that should measure the same.

#include "analysis/diagnose.h"
#include "sim/scenario.h"

namespace schedlens {

/// The conditions of one window: arrival rate and the cost of each stage, from its histogram
/// (log-linear inside buckets, the open bucket by its sum). A remainder has no histogram: it takes
/// the shape of what holds it, scaled to its own mean.
sim::Conditions FitConditions(const Case& c, const Measurement& window);

/// A scenario with two stretches: the baseline's conditions, then the window's. Without a baseline
/// the first stretch is absent. Stretches are shortened to at most ten minutes.
struct Fitted {
  sim::Scenario scenario;
  bool has_baseline = false;
};
Fitted FitScenario(const Investigation& investigation);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_FIT_H_
