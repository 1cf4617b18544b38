// What plugins from outside the tree add to an attempt on the loop.

#include <algorithm>
#include <utility>

#include "sim/engine/scheduling_loop.h"

namespace schedlens::sim {

// CPU work of the loop's workers; a noisy machine is in what the plugin says.
Nanos SchedulingLoop::SpendTimes(std::vector<core::OwnTime> times, int workers) {
  double seconds = 0;
  for (const core::OwnTime& time : times) seconds += time.seconds;
  cycle_.plugin_times.insert(cycle_.plugin_times.end(), times.begin(), times.end());
  const Nanos d = FromSeconds(seconds / run_.Effective(workers));
  if (d <= 0) return 0;
  return Advance({d, seconds}, workers);
}

// What the calls took that the algorithm has made at the point.
Nanos SchedulingLoop::SpendPlugins(ExtensionPoint point, int workers) {
  if (!world_.placement().has_plugins()) return 0;
  return SpendTimes(world_.placement().TakeTimes(point), workers);
}

// Calls them at a point that the algorithm does not have.
Nanos SchedulingLoop::RunPlugins(ExtensionPoint point) {
  if (!world_.placement().has_plugins()) return 0;
  core::PointAnswer answer =
      world_.placement().RunPlugins(point, cycle_.record.pod, TemplateIndex(), cycle_.record.node);
  cycle_.permit_wait = std::max(cycle_.permit_wait, answer.wait);
  if (answer.refused) {
    cycle_.refused = true;
    if (Watched()) {
      run_.watch->Ended(std::string(answer.plugin) + " at " + std::string(kube::ToString(point)) +
                        ": " + answer.refusal);
    }
  }
  return SpendTimes(std::move(answer.times), 1);
}

}  // namespace schedlens::sim
