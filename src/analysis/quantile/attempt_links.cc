#include "analysis/quantile/attempt_links.h"

#include <algorithm>

namespace schedlens {

const std::vector<AttemptClock>& AttemptClocks() {
  static const std::vector<AttemptClock> all = {
      {"extension_point{Bind}",
       "scheduler_framework_extension_point_duration_seconds",
       {{"extension_point", "Bind"}, {"status", "Success"}},
       0,
       true},
      {"binding_duration", "scheduler_binding_duration_seconds", {}, 1, true},
      {"scheduling_algorithm_duration",
       "scheduler_scheduling_algorithm_duration_seconds",
       {},
       1,
       false},
      {"e2e_scheduling_duration",
       "scheduler_e2e_scheduling_duration_seconds",
       {{"result", "scheduled"}},
       2,
       true},
      {"scheduling_attempt_duration",
       "scheduler_scheduling_attempt_duration_seconds",
       {{"result", "scheduled"}},
       2,
       true},
      {"pod_scheduling_duration", "scheduler_pod_scheduling_duration_seconds", {}, 3, true},
      {"pod_scheduling_sli_duration", "scheduler_pod_scheduling_sli_duration_seconds", {}, 3, true},
  };
  return all;
}

const AttemptClock* ClockOf(std::string_view family, const Labels& labels) {
  for (const AttemptClock& clock : AttemptClocks()) {
    if (clock.family != family) continue;
    const bool fits = std::all_of(clock.labels.begin(), clock.labels.end(), [&](const auto& want) {
      return !labels.Has(want.first) || labels.Get(want.first) == want.second;
    });
    if (fits) return &clock;
  }
  return nullptr;
}

std::vector<const AttemptClock*> LinkedTo(const AttemptClock& clock) {
  std::vector<const AttemptClock*> linked;
  for (const AttemptClock& other : AttemptClocks()) {
    if (other.reach == clock.reach) continue;
    const AttemptClock& longer = other.reach > clock.reach ? other : clock;
    const AttemptClock& shorter = other.reach > clock.reach ? clock : other;
    // Bind and algorithm are parts of one attempt, but neither contains the other.
    if (longer.on_chain && (shorter.on_chain || longer.reach >= 2)) linked.push_back(&other);
  }
  return linked;
}

}  // namespace schedlens
