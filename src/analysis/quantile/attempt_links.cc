#include "analysis/quantile/attempt_links.h"

#include <algorithm>

#include "kube/metrics.h"
#include "kube/words.h"

namespace schedlens {

const std::vector<AttemptClock>& AttemptClocks() {
  static const std::vector<AttemptClock> all = {
      {"extension_point{Bind}",
       kube::NameOf(kube::Metric::kExtensionPoint),
       {{"extension_point", std::string(ToString(kube::ExtensionPoint::kBind))},
        {"status", std::string(ToString(kube::StatusCode::kSuccess))}},
       0,
       true},
      {"binding_duration", kube::NameOf(kube::Metric::kBinding), {}, 1, true},
      {"scheduling_algorithm_duration", kube::NameOf(kube::Metric::kAlgorithm), {}, 1, false},
      {"e2e_scheduling_duration",
       kube::NameOf(kube::Metric::kE2e),
       {{"result", std::string(ToString(kube::AttemptResult::kScheduled))}},
       2,
       true},
      {"scheduling_attempt_duration",
       kube::NameOf(kube::Metric::kAttempt),
       {{"result", std::string(ToString(kube::AttemptResult::kScheduled))}},
       2,
       true},
      {"pod_scheduling_duration", kube::NameOf(kube::Metric::kPodDuration), {}, 3, true},
      {"pod_scheduling_sli_duration", kube::NameOf(kube::Metric::kPodSli), {}, 3, true},
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

std::vector<const AttemptClock*> LinkedToFamily(std::string_view family) {
  for (const AttemptClock& clock : AttemptClocks()) {
    if (clock.family == family) return LinkedTo(clock);
  }
  return {};
}

}  // namespace schedlens
