#include "analysis/neighbours/created_pods.h"

#include <algorithm>

namespace schedlens {
namespace {

bool Inside(double seconds, const TimeRange& range) {
  const double ms = seconds * 1000 + 500;  // a rounded time stands for the middle of its second
  return ms > static_cast<double>(range.start) && ms <= static_cast<double>(range.end);
}

TimeRange Common(const TimeRange& a, const TimeRange& b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}

/// Of whole seconds: two apart are more than one.
bool Waited(const SeenPod& pod) { return !pod.scheduled || *pod.scheduled - pod.created >= 2; }

}  // namespace

std::optional<LoadWindows> LoadWindowsOf(const WindowEvidence& evidence) {
  if (!evidence.baseline) return std::nullopt;
  const TimeBreakdown& now = evidence.now.breakdown;
  const TimeBreakdown& before = evidence.baseline->breakdown;
  return LoadWindows{now.window, before.window, now.scheduled(), before.scheduled()};
}

std::optional<CreatedPods> CountCreatedPods(const NeighbourFacts& facts, const LoadWindows& windows,
                                            WhichPods which) {
  // Outside of its scrapes kube-state-metrics cannot have seen what was created.
  const TimeRange scrapes = PodScrapes(facts);
  CreatedPods out;
  out.now = Common(windows.now, scrapes);
  out.before = Common(windows.before, scrapes);
  if (out.now.end <= out.now.start || out.before.end <= out.before.start) return std::nullopt;
  double seen_before = 0;
  for (const SeenPod& pod : PodsOf(facts)) {
    if (pod.scheduled && Inside(*pod.scheduled, windows.now)) out.seen_now += 1;
    if (pod.scheduled && Inside(*pod.scheduled, windows.before)) seen_before += 1;
    if (which == WhichPods::kThatWaited && !Waited(pod)) continue;
    Created& created = out.workloads[pod.workload];
    if (Inside(pod.created, out.now)) {
      created.now += 1;
      out.seconds_now[pod.created][pod.workload] += 1;
    }
    if (Inside(pod.created, out.before)) {
      created.before += 1;
      out.seconds_before[pod.created][pod.workload] += 1;
    }
  }
  out.missed_now = std::max(0.0, windows.scheduled_now - out.seen_now);
  out.missed_before = std::max(0.0, windows.scheduled_before - seen_before);
  return out;
}

}  // namespace schedlens
