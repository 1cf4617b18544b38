#pragma once

// Clusters for tests: from YAML lines, or random from a seed.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "scheduler/base/random.h"
#include "scheduler/cluster/objects_json.h"
#include "scheduler/framework/algorithm.h"

namespace schedlens::sim::core {

struct Bed {
  explicit Bed(int minor = 26) : cluster(Release{minor}, std::make_shared<Strings>()) {}

  /// `labels` and `extra` are flow YAML: `{zone: a}`, `{spec: {unschedulable: true}}`.
  NodeId Node(const std::string& name, const std::string& labels = "{}", int cpu = 4,
              int memory_gi = 8, int pods = 110, const std::string& spec = "{}") {
    return cluster.AddNode(
        ReadNodeManifest(fmt::format("metadata: {{name: {}, labels: {}}}\nspec: {}\n"
                                     "status: {{allocatable: {{cpu: {}, memory: {}Gi, pods: {}}}}}",
                                     name, labels, spec, cpu, memory_gi, pods),
                         "node", cluster.strings()));
  }
  SpecId Spec(const std::string& labels, const std::string& spec) {
    return cluster.AddSpec(
        ReadPodManifest(fmt::format("metadata: {{labels: {}}}\nspec: {}", labels, spec), "pod",
                        cluster.strings())
            .spec);
  }
  PodId Pod(SpecId spec, NodeId node = kNone) {
    const PodId pod = cluster.CreatePod(fmt::format("p{}", ++created), spec);
    if (node != kNone) cluster.BindPod(pod, node);
    return pod;
  }
  std::string Name(NodeId node) {
    return node == kNone ? "none" : cluster.strings().Text(cluster.node(node).node.name);
  }

  Cluster cluster;
  int created = 0;
};

inline std::string Containers(int milli_cpu, int memory_mi) {
  return fmt::format(
      "containers: [{{name: c, resources: {{requests: {{cpu: {}m, memory: {}Mi}}}}}}]", milli_cpu,
      memory_mi);
}

/// A random pod spec that uses taints, affinity of all kinds, spreading and resources.
inline std::string RandomSpec(Random& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<int>(random.Below(n)); };
  const char* apps[] = {"a", "b", "c"};
  const char* keys[] = {"host", "zone", "rack"};
  const auto term = [&] {
    return fmt::format("{{labelSelector: {{matchLabels: {{app: {}}}}}, topologyKey: {}}}",
                       apps[below(3)], keys[below(3)]);
  };
  std::string out = "{" + Containers(50 * (1 + below(20)), 64 * (1 + below(20)));
  std::string affinity;
  if (below(6) == 0)
    affinity += ", podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + term() + "]}";
  if (below(3) == 0) {
    affinity += ", podAntiAffinity: {";
    affinity += below(2) == 0
                    ? "requiredDuringSchedulingIgnoredDuringExecution: [" + term() + "]"
                    : fmt::format(
                          "preferredDuringSchedulingIgnoredDuringExecution: [{{weight: {}, "
                          "podAffinityTerm: {}}}]",
                          1 + below(100), term());
    affinity += "}";
  }
  if (!affinity.empty()) out += ", affinity: {" + affinity.substr(2) + "}";
  if (below(3) == 0) {
    out += fmt::format(
        ", topologySpreadConstraints: [{{maxSkew: {}, topologyKey: {}, "
        "whenUnsatisfiable: {}, labelSelector: {{matchLabels: {{app: {}}}}}}}]",
        1 + below(3), keys[below(3)], below(2) == 0 ? "DoNotSchedule" : "ScheduleAnyway",
        apps[below(3)]);
  }
  if (below(4) == 0) out += ", nodeSelector: {disk: ssd}";
  if (below(3) == 0) out += ", tolerations: [{key: t, operator: Exists}]";
  out += fmt::format(", priority: {}", below(3) * 10);
  return out + "}";
}

/// Nodes with and without each key, some tainted or cordoned.
inline void RandomNodes(Bed& bed, Random& random, int count) {
  const auto below = [&](std::uint32_t n) { return static_cast<int>(random.Below(n)); };
  for (int i = 0; i < count; ++i) {
    std::string labels = fmt::format("{{host: n{}", i);
    if (below(6) != 0) labels += fmt::format(", zone: z{}", below(3));
    if (below(4) != 0) labels += fmt::format(", rack: r{}", below(5));
    if (below(2) == 0) labels += ", disk: ssd";
    labels += "}";
    std::string spec = "{";
    if (below(8) == 0) spec += "unschedulable: true, ";
    if (below(4) == 0) {
      spec += fmt::format("taints: [{{key: t, value: v, effect: {}}}]",
                          below(2) == 0 ? "NoSchedule" : "PreferNoSchedule");
    }
    bed.Node(fmt::format("n{}", i), labels, 2 + below(6), 4 + below(12), 5 + below(20), spec + "}");
  }
}

inline std::string RandomLabels(Random& random) {
  return fmt::format("{{app: {}}}", static_cast<char>('a' + random.Below(3)));
}

}  // namespace schedlens::sim::core
