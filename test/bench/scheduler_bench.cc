// Scheduling attempts per second on one thread: default plugins at several cluster sizes, and
// required anti-affinity with zone spread.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "scheduler/cluster/objects_json.h"
#include "scheduler/framework/algorithm.h"

namespace schedlens::sim::core {
namespace {

// Nodes in three zones with 30 pods each of one kind, and the spec to be scheduled.
struct Bed {
  Bed(int nodes, const std::string& pod_yaml, int pods_per_node)
      : cluster(Release{20}, std::make_shared<Strings>()) {
    for (int i = 0; i < nodes; ++i) {
      cluster.AddNode(ReadNodeManifest(
          fmt::format("metadata: {{name: n{0}, labels: {{kubernetes.io/hostname: n{0}, "
                      "topology.kubernetes.io/zone: z{1}}}}}\n"
                      "status: {{allocatable: {{cpu: {2}, memory: {3}Gi, pods: 110}}}}",
                      i, i % 3, 16 + i % 5, 64 + i % 7),
          "node", cluster.strings()));
    }
    const SpecId there = cluster.AddSpec(
        ReadPodManifest("metadata: {labels: {app: there}}\nspec: {containers: [{name: c, image: i, "
                        "resources: {requests: {cpu: 100m, memory: 200Mi}}}]}",
                        "pod", cluster.strings())
            .spec);
    for (int i = 0; i < nodes * pods_per_node; ++i) {
      cluster.BindPod(cluster.CreatePod("there", there), i % nodes);
    }
    spec = cluster.AddSpec(ReadPodManifest(pod_yaml, "pod", cluster.strings()).spec);
  }
  Cluster cluster;
  SpecId spec = kNone;
};

// Every attempt binds its pod; the oldest one leaves, so that the cluster stays as full as it is.
void Attempts(benchmark::State& state, const std::string& pod_yaml, int kept, int percentage = 0) {
  constexpr int kMostPods = 150'000;
  const int nodes = static_cast<int>(state.range(0));
  Bed bed(nodes, pod_yaml, std::min(30, kMostPods / nodes));
  Configuration configuration = DefaultConfiguration(Release{20});
  configuration.percentage_of_nodes_to_score = percentage;
  Algorithm algorithm(bed.cluster, configuration, 0);
  Random random(1);
  ScheduleResult result;
  std::vector<PodId> ring(static_cast<std::size_t>(kept), kNone);
  std::size_t at = 0;
  std::int64_t evaluated = 0, scheduled = 0;
  for (auto _ : state) {
    PodId& slot = ring[at];
    at = (at + 1) % ring.size();
    if (slot != kNone) bed.cluster.DeletePod(slot);
    slot = bed.cluster.CreatePod("new", bed.spec);
    algorithm.Schedule(slot, random, nullptr, result);
    evaluated += result.evaluated;
    if (result.outcome != Outcome::kScheduled) continue;
    ++scheduled;
    bed.cluster.BindPod(slot, result.node);
  }
  state.SetItemsProcessed(state.iterations());
  const auto attempts = static_cast<double>(state.iterations());
  state.counters["nodes_evaluated"] = static_cast<double>(evaluated) / attempts;
  state.counters["scheduled"] = static_cast<double>(scheduled) / attempts;
}

void DefaultPlugins(benchmark::State& state) {
  Attempts(state,
           "metadata: {labels: {app: web}}\nspec: {containers: [{name: c, image: web, resources: "
           "{requests: {cpu: 100m, memory: 128Mi}}}]}",
           500);
}
BENCHMARK(DefaultPlugins)->Arg(100)->Arg(1000)->Arg(5000)->Arg(20000)->Arg(50000);

// percentageOfNodesToScore 1, at least 100 nodes: the same work in clusters of any size up to
// 10,000.
void HundredNodesEvaluated(benchmark::State& state) {
  Attempts(state,
           "metadata: {labels: {app: web}}\nspec: {containers: [{name: c, image: web, resources: "
           "{requests: {cpu: 100m, memory: 128Mi}}}]}",
           500, 1);
}
BENCHMARK(HundredNodesEvaluated)->Arg(100)->Arg(1000)->Arg(5000)->Arg(10000)->Arg(50000);

void AntiAffinityAndZoneSpread(benchmark::State& state) {
  Attempts(state,
           "metadata: {labels: {app: web}}\n"
           "spec:\n"
           "  containers: [{name: c, image: web, resources: {requests: {cpu: 100m}}}]\n"
           "  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
           "[{labelSelector: {matchLabels: {app: web}}, topologyKey: kubernetes.io/hostname}]}}\n"
           "  topologySpreadConstraints: [{labelSelector: {matchLabels: {app: web}}, maxSkew: 1, "
           "topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}]\n",
           500);
}
BENCHMARK(AntiAffinityAndZoneSpread)->Arg(1000)->Arg(5000);

// Affinity to the pods that are there, preferred anti-affinity and both kinds of spreading.
void AffinityAndSpread(benchmark::State& state) {
  const std::string web = "labelSelector: {matchLabels: {app: web}}";
  const std::string zone = "topologyKey: topology.kubernetes.io/zone";
  const std::string host = "topologyKey: kubernetes.io/hostname";
  const std::string affinity =
      "podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: "
      "{matchLabels: {app: there}}, " +
      zone +
      "}]}, podAntiAffinity: "
      "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, podAffinityTerm: {" +
      web + ", " + host + "}}]}";
  const std::string spread = "{" + web + ", maxSkew: 5, " + zone +
                             ", whenUnsatisfiable: DoNotSchedule}, {" + web + ", maxSkew: 5, " +
                             host + ", whenUnsatisfiable: ScheduleAnyway}";
  Attempts(state,
           "metadata: {labels: {app: web}}\n"
           "spec:\n"
           "  containers: [{name: c, image: web, resources: {requests: {cpu: 100m}}}]\n"
           "  affinity: {" +
               affinity +
               "}\n"
               "  topologySpreadConstraints: [" +
               spread + "]\n",
           5000);
}
BENCHMARK(AffinityAndSpread)->Arg(1000)->Arg(5000);

}  // namespace
}  // namespace schedlens::sim::core
