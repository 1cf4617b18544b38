// Placing the pending pods of a cluster (include/schedlens/sim.h).

#include <algorithm>
#include <utility>

#include "schedlens/error.h"
#include "schedlens/sim.h"
#include "scheduler/cluster/objects_json.h"
#include "scheduler/framework/algorithm.h"

namespace schedlens {

std::vector<PlacedPod> PlacePendingPods(std::string_view objects_json,
                                        std::string_view configuration_yaml,
                                        std::string_view kubernetes_version, std::uint64_t seed,
                                        const std::vector<SchedulerPluginFactory>& plugins) {
  using namespace sim::core;
  const sim::Release release = sim::Release::Parse(kubernetes_version);
  Cluster cluster(release, std::make_shared<Strings>());
  LoadObjects(objects_json, "objects", cluster);
  std::vector<std::string> names;
  std::vector<OwnPlugin> own;
  for (const SchedulerPluginFactory& plugin : plugins) {
    names.push_back(plugin.name);
    own.push_back({plugin.name, plugin.make});
  }
  const Configuration configuration =
      configuration_yaml.empty()
          ? DefaultConfiguration(release)
          : ReadConfiguration(configuration_yaml, "configuration", release, names);
  std::vector<std::unique_ptr<Algorithm>> algorithms;
  for (std::size_t i = 0; i < configuration.profiles.size(); ++i) {
    algorithms.push_back(std::make_unique<Algorithm>(cluster, configuration, i, own));
  }

  std::vector<PodId> pending;
  for (PodId pod = 0; pod < cluster.pod_limit(); ++pod) {
    if (cluster.pod(pod).alive && cluster.pod(pod).node == kNone) pending.push_back(pod);
  }
  std::ranges::stable_sort(pending, [&](PodId a, PodId b) {
    return cluster.SpecOf(a).priority > cluster.SpecOf(b).priority;
  });
  sim::Random random(seed);
  std::vector<PlacedPod> out;
  ScheduleResult result;
  for (const PodId pod : pending) {
    const PodSpec& spec = cluster.SpecOf(pod);
    const std::string& scheduler = cluster.strings().Text(spec.scheduler_name);
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      if (configuration.profiles[i].scheduler_name != scheduler) continue;
      algorithms[i]->Schedule(pod, random, nullptr, result);
      PlacedPod& placed = out.emplace_back();
      placed.pod = cluster.strings().Text(spec.namespace_name) + "/" + cluster.pod(pod).name;
      placed.feasible = result.feasible;
      if (result.outcome == Outcome::kScheduled) {
        placed.node = cluster.strings().Text(cluster.node(result.node).node.name);
        cluster.BindPod(pod, result.node);
      } else {
        placed.message = algorithms[i]->FailureMessage();
      }
    }
  }
  return out;
}

}  // namespace schedlens
