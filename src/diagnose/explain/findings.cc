// The findings: causes in the order of the scheduling attempt, then remarks about the number.
// The causes behind a cause: past the scheduler's door, and who sends it work.

#include "diagnose/explain/glossary.h"

namespace schedlens {

const std::vector<FindingText>& OwnFindingTexts() {
  static const std::vector<FindingText> all = {
      {"bind.extender", 5},
      {"bind.apiserver", 4},
      {"bind.client-throttling", 4},
      {"bind.async-queue", 3},
      {"algorithm.extender", 4},
      {"algorithm.prefilter", 3},
      {"algorithm.filter", 4},
      {"algorithm.prescore", 3},
      {"algorithm.score", 3},
      {"algorithm.cpu-starved", 4},
      {"preemption", 4},
      {"attempts.unschedulable", 4},
      {"attempts.error", 3},
      {"reserve", 2},
      {"permit.wait", 4},
      {"prebind.volume", 4},
      {"prebind", 3},
      {"queue.backlog", 4},
      {"quantile.population", 3},
      {"quantile.threshold-inside-bucket", 3, false},
      {"quantile.saturated", 3, false},
      {"quantile.few-samples", 3, false},
      {"quantile.profile", 2, false},
      {"quantile.forced-monotonic", 3, false},
      {"quantile.rate-extrapolation", 3, false},
      {"data.reset", 3},
      {"data.missing", 3, false},
      {"data.mixed-layouts", 3, false},
      {"data.contradiction", 3},
  };
  return all;
}

const std::vector<FindingText>& BehindTexts() {
  static const std::vector<FindingText> all = {
      {"apiserver.webhook", 2},  {"apiserver.flowcontrol", 2},
      {"etcd.disk", 2},          {"etcd.peer", 2},
      {"etcd.leader", 2},        {"etcd.slow", 2},
      {"apiserver.cpu", 2},      {"apiserver.audit", 2},
      {"bind.network", 2},       {"apiserver.unknown", 2},
      {"apiserver.instance", 2}, {"unschedulable.plugin", 2},
      {"load.workload", 2},      {"csi.driver", 2},
      {"volume.controller", 2},
  };
  return all;
}

}  // namespace schedlens
