#include "base/work_budget.h"
#include "diagnose/control_plane/changes.h"
#include "diagnose/pods/ledger.h"

namespace schedlens {
namespace {

constexpr std::size_t kMostPods = 10;
constexpr double kWorthTelling = 10;  ///< seconds, of times in whole ones
constexpr TimeMs kSecond = 1000;

/// Seconds of the wait that each holder is known to have had.
std::vector<PodHolder> HeldOf(const SeenPod& pod, const TimeRange& wait, double half_scrape,
                              const std::vector<Absence>& absences) {
  std::vector<PodHolder> held;
  const double seconds = wait.seconds();
  const auto tell = [&](Holder holder, double part) {
    if (part < 1) return;
    PodHolder& one = held.emplace_back();
    one.id = kHolderIds[static_cast<std::size_t>(holder)];
    one.seconds = Estimated(part, "s", OfObjects());
    one.share = Estimated(part / seconds, "1", OfObjects());
  };
  double nobody = 0, rejected = 0;
  for (const Absence& one : absences) {
    const bool queued = one.keeps_queues && wait.start + kSecond <= one.start.value;
    if (queued) continue;  // and stayed there
    nobody += std::max(0.0, MsToSeconds(std::min(wait.end, one.end.value) -
                                        std::max(wait.start, one.start.value)));
  }
  double until = MsToSeconds(wait.start);
  for (const TimeMs seen : pod.rejected) {
    const double at = MsToSeconds(seen), end = std::min(MsToSeconds(wait.end), at + half_scrape);
    const double from = std::max(until, at - half_scrape);
    if (end > from) rejected += end - from, until = end;
  }
  tell(Holder::kUnschedulable, std::min(rejected, seconds - nobody));
  tell(Holder::kNobody, nobody);
  return held;
}

}  // namespace

std::vector<SlowPod> SlowestPods(const ControlPlaneFacts& facts, const TimeRange& window,
                                 const std::vector<Absence>& absences) {
  const TimeMs seen_until = std::min(window.end, PodScrapes(facts).end);
  std::vector<std::pair<double, const SeenPod*>> waits;
  for (const SeenPod& pod : PodsOf(facts)) {
    CheckBudget();
    const double until = pod.scheduled ? *pod.scheduled : MsToSeconds(window.end);
    const bool bound = pod.scheduled && Ms(until) >= window.start && Ms(until) <= window.end;
    const bool waiting = Ms(pod.created) < window.end && pod.last_seen >= seen_until &&
                         (!pod.scheduled || Ms(until) > window.end);
    const double seconds = (bound ? until : MsToSeconds(window.end)) - pod.created;
    if ((bound || waiting) && seconds >= kWorthTelling) waits.emplace_back(seconds, &pod);
  }
  const std::size_t most = std::min(kMostPods, waits.size());
  std::ranges::partial_sort(waits, waits.begin() + static_cast<std::ptrdiff_t>(most),
                            std::greater<>(), &decltype(waits)::value_type::first);
  waits.resize(most);
  const double half_scrape = PodScrapeInterval(facts) / 2;
  std::vector<SlowPod> slowest;
  for (const auto& [seconds, pod] : waits) {
    SlowPod& one = slowest.emplace_back();
    one.name_space = pod->workload.name_space;
    one.name = pod->name;
    one.created = Ms(pod->created);
    const TimeMs end = one.created + Ms(seconds);
    if (end < window.end || pod->scheduled == MsToSeconds(window.end)) one.scheduled = end;
    one.seconds = Bounded(seconds - 1, seconds, seconds + 1, "s", OfObjects());
    one.held = HeldOf(*pod, {one.created, end}, half_scrape, absences);
  }
  return slowest;
}

}  // namespace schedlens
