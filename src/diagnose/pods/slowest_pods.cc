#include "base/work_budget.h"
#include "diagnose/control_plane/changes.h"
#include "diagnose/pods/ledger.h"

namespace schedlens {
namespace {

constexpr std::size_t kMostPods = 10;
constexpr double kWorthTelling = 10;  ///< seconds, of times in whole ones

/// Unix seconds.
struct Wait {
  double seconds = 0, from = 0, to = 0;
  const SeenPod* pod = nullptr;
};

/// Seconds of the wait that each holder is known to have had.
std::vector<PodHolder> HeldOf(const Wait& wait, double half_scrape,
                              const std::vector<Absence>& absences) {
  std::vector<PodHolder> held;
  const auto tell = [&](Holder holder, double part) {
    if (part < 1) return;
    PodHolder& one = held.emplace_back();
    one.id = kHolderIds[static_cast<std::size_t>(holder)];
    one.seconds = Estimated(part, "s", OfObjects());
    one.share = Estimated(part / wait.seconds, "1", OfObjects());
  };
  double nobody = 0, rejected = 0;
  for (const Absence& one : absences) {
    const double start = MsToSeconds(one.start.value), end = MsToSeconds(one.end.value);
    const bool queued = one.keeps_queues && wait.from + 1 <= start;  // and stayed there
    if (!queued) nobody += std::max(0.0, std::min(wait.to, end) - std::max(wait.from, start));
  }
  nobody = std::min(nobody, wait.seconds);
  double until = wait.from;
  for (const TimeMs seen : wait.pod->rejected) {
    const double at = MsToSeconds(seen), end = std::min(wait.to, at + half_scrape);
    const double from = std::max(until, at - half_scrape);
    if (end > from) rejected += end - from, until = end;
  }
  tell(Holder::kUnschedulable, std::min(rejected, wait.seconds - nobody));
  tell(Holder::kNobody, nobody);
  return held;
}

/// Of the pods with possible times: those bound in the window, and those that wait at its end.
std::vector<Wait> WaitsOf(const ControlPlaneFacts& facts, const TimeRange& window) {
  const TimeMs seen_until = PodScrapes(facts, window.end).end;
  const double start = MsToSeconds(window.start), end = MsToSeconds(window.end);
  std::vector<Wait> waits;
  for (const SeenPod& pod : PodsOf(facts)) {
    CheckBudget();
    if (!(pod.created > 0 && pod.created < end)) continue;
    const bool bound = pod.scheduled && *pod.scheduled >= start && *pod.scheduled <= end;
    const bool waits_on = pod.scheduled ? *pod.scheduled > end : pod.last_seen >= seen_until;
    const double until = bound ? *pod.scheduled : end, seconds = until - pod.created;
    if ((bound || waits_on) && seconds >= kWorthTelling) {
      waits.push_back({seconds, pod.created, until, &pod});
    }
  }
  return waits;
}

}  // namespace

std::string WorkloadThatWaited(const ControlPlaneFacts& facts, const TimeRange& window) {
  std::map<std::string, double> waited;
  double all = 0;
  for (const Wait& wait : WaitsOf(facts, window)) {
    if (!wait.pod->rejected.empty()) continue;
    const WorkloadKey& of = wait.pod->workload;
    waited[of.name_space + "/" + of.name] += wait.seconds;
    all += wait.seconds;
  }
  const auto most =
      std::ranges::max_element(waited, {}, [](const auto& one) { return one.second; });
  return most != waited.end() && most->second >= all / 2 ? most->first : "";
}

std::vector<SlowPod> SlowestPods(const ControlPlaneFacts& facts, const TimeRange& window,
                                 const std::vector<Absence>& absences) {
  std::vector<Wait> waits = WaitsOf(facts, window);
  const std::size_t most = std::min(kMostPods, waits.size());
  std::ranges::partial_sort(
      waits, waits.begin() + static_cast<std::ptrdiff_t>(most), {}, [](const Wait& one) {
        return std::tuple(-one.seconds, std::string_view(one.pod->workload.name_space),
                          std::string_view(one.pod->name));
      });
  waits.resize(most);
  const double half_scrape = PodScrapeInterval(facts) / 2;
  std::vector<SlowPod> slowest;
  for (const Wait& wait : waits) {
    SlowPod& one = slowest.emplace_back();
    one.name_space = wait.pod->workload.name_space;
    one.name = wait.pod->name;
    one.created = std::llround(1000 * wait.from);
    if (wait.pod->scheduled == wait.to) one.scheduled = std::llround(1000 * wait.to);
    one.seconds = Bounded(wait.seconds - 1, wait.seconds, wait.seconds + 1, "s", OfObjects());
    one.held = HeldOf(wait, half_scrape, absences);
  }
  return slowest;
}

}  // namespace schedlens
