#include "analysis/neighbours/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/causes/slowness.h"
#include "analysis/neighbours/change_log.h"
#include "analysis/neighbours/object_changes.h"
#include "analysis/neighbours/pods.h"
#include "analysis/neighbours/process_changes.h"
#include "kube/neighbour_metrics.h"
#include "stats/sampling.h"

namespace schedlens {
namespace {

/// A smaller growth of load is no change worth telling.
constexpr double kLeastLoadGrowth = 1.5;

TimeMs SchedulerInterval(const Facts& facts) {
  TimeMs widest = 0;
  for (const Target& target : facts.targets) {
    widest = std::max(widest, ScrapeInterval(target.scrapes));
  }
  return widest;
}

struct Load {
  double now = 0, before = 0;  ///< pods that were created
};

bool Inside(double seconds, const TimeRange& range) {
  const double ms = seconds * 1000 + 500;  // a rounded time stands for the middle of its second
  return ms > static_cast<double>(range.start) && ms <= static_cast<double>(range.end);
}

TimeRange Common(const TimeRange& a, const TimeRange& b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}

/// The probability that, of the pods of both, so many fall into the window at one rate.
double ChanceOf(double now, double before, double now_seconds, double before_seconds) {
  const double part = now_seconds / (now_seconds + before_seconds);
  return BinomialAtLeast(now + before, part, now);
}

/// Pods a second.
std::string Rate(double pods, double seconds) { return fmt::format("{:.3g}", pods / seconds); }

void AddLoads(const NeighbourFacts& facts, const LoadWindows& windows, TimeMs onset,
              std::vector<ClusterChange>* changes) {
  // Outside of its scrapes kube-state-metrics cannot have seen what was created.
  const TimeRange scrapes = PodScrapes(facts);
  const TimeRange now = Common(windows.now, scrapes), before = Common(windows.before, scrapes);
  if (now.end <= now.start || before.end <= before.start) return;
  std::map<std::string, Load> loads;
  double seen_before = 0;
  for (const SeenPod& pod : PodsOf(facts)) {
    Load& load = loads[pod.workload.name_space];
    if (Inside(pod.created, now)) load.now += 1;
    if (Inside(pod.created, before)) load.before += 1;
    if (pod.scheduled && Inside(*pod.scheduled, windows.before)) seen_before += 1;
  }
  const double missed = std::max(0.0, windows.scheduled_before - seen_before);
  for (const auto& [name_space, load] : loads) {
    const double most_before = load.before + missed;
    const double growth = load.now / now.seconds() / ((most_before + 0.5) / before.seconds());
    if (growth < kLeastLoadGrowth) continue;
    const double chance = ChanceOf(load.now, most_before, now.seconds(), before.seconds());
    if (chance * static_cast<double>(loads.size()) > kSignificant) continue;
    ClusterChange change;
    change.what = Message("change.load");
    change.object = name_space;
    change.at = onset;
    change.earliest = before.end;
    change.latest = now.end;
    change.before = Rate(load.before, before.seconds());
    change.after = Rate(load.now, now.seconds());
    change.source = NameOf(kube::Neighbour::kKubePodCreated);
    changes->push_back(std::move(change));
  }
}

}  // namespace

std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       TimeMs onset, const std::optional<LoadWindows>& loads) {
  ChangeLog log(onset, SchedulerInterval(facts));
  NoteProcessChanges(facts, neighbours, &log);
  NoteObjectChanges(neighbours, &log);
  std::vector<ClusterChange> changes = log.Changes();
  if (loads && loads->before.end <= onset + SchedulerInterval(facts))
    AddLoads(neighbours, *loads, onset, &changes);
  return changes;
}

std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       const WindowEvidence& evidence) {
  const TimeRange& window = evidence.now.breakdown.window;
  std::optional<LoadWindows> loads;
  if (evidence.baseline) {
    const TimeBreakdown& before = evidence.baseline->breakdown;
    loads = {window, before.window, evidence.now.breakdown.scheduled(), before.scheduled()};
  }
  return FindChanges(facts, neighbours, window.start, loads);
}

}  // namespace schedlens
