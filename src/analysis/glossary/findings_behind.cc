// The causes behind a cause: past the scheduler's door, and who sends it work.

#include "analysis/glossary/glossary.h"

namespace schedlens {

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
