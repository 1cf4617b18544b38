#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/control_plane/meter.h"
#include "diagnose/control_plane/neighbour_facts.h"

namespace schedlens {

// Objects as kube-state-metrics shows them.

/// A label of the object itself. Where the scrape set a label of that name as well, Prometheus has
/// the object's as `exported_...`. Stays valid as long as the label set.
std::string_view ObjectLabel(const Labels& labels, std::string_view name);

/// Who answers for a pod.
struct WorkloadKey {
  std::string name_space;
  std::string kind;  ///< "Deployment", ..., "Pod" without an owner; empty where unknown
  std::string name;  ///< empty without an owner, and where unknown
  auto operator<=>(const WorkloadKey&) const = default;
};

/// One pod. Its times are whole seconds, rounded down.
struct SeenPod {
  WorkloadKey workload;
  double created = 0;               ///< unix seconds
  std::optional<double> scheduled;  ///< nothing while it waits
  TimeMs last_seen = 0;             ///< last scrape that had it
};

struct SeenPods {
  std::vector<SeenPod> all;
};

/// Every pod of the question `pods`, with its owner of `pod_owners`, each once however many
/// processes show it. A ReplicaSet stands for its Deployment and a Job for its CronJob only where
/// their own owners are known: no name is made up. A StatefulSet's pod that was replaced under the
/// same name is a pod of its own. The answers are read once: they must not change after the first
/// call.
const std::vector<SeenPod>& PodsOf(const NeighbourFacts& facts);
const std::vector<SeenPod>& PodsOf(NeighbourFacts&& facts) = delete;  ///< would not live on

/// When a process that shows pods was scraped first and last; ends before it starts without one.
TimeRange PodScrapes(const NeighbourFacts& facts);

/// Seconds that bindings waited for etcd, of `inside`, all that they took without webhooks. Nothing
/// without the API servers' metric of etcd's requests.
///
/// A binding updates its pod, and may have to read it first. So it has at most all updates and
/// reads of pods, and at least all updates, deletions and reads less the whole duration of every
/// other request that may cause one: of all requests on pods but their creation. Creation reads a
/// pod only where one of that name exists: unless the count of such conflicts is there and is zero,
/// creations are taken off with their own operation. `shared`: others bind too, and nothing is the
/// scheduler's for sure.
std::optional<Between> StorageOfBindings(const NeighbourFacts& facts, const TimeRange& window,
                                         const Between& inside, bool shared);

}  // namespace schedlens
