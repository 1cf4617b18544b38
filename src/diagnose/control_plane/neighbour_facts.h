#pragma once

// What the control plane and kube-state-metrics measured, as it was answered, and the pods in it.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/collect/facts.h"

namespace schedlens {

// What the API servers and etcd of the scheduler's cluster measured, as it was answered. All of it
// is optional: what is missing makes the answer smaller, never different.

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

struct NeighbourFacts {
  /// When each process was scraped, ascending, by ProcessLabels.
  std::map<Labels, std::vector<TimeMs>> scrapes;
  /// By question, without its prefix: `bindings`, `requests`, ...
  std::map<std::string, std::vector<Series>> answers;
  std::string cluster;     ///< matchers of the schedulers' cluster; empty where they name none
  std::string apiservers;  ///< matchers of the API servers that answered bindings; may be empty
  std::vector<AskedQuery> queries;
  std::vector<Message> warnings;
  /// What PodsOf made of the answers, for whoever asks again.
  mutable std::shared_ptr<const std::vector<SeenPod>> pods;

  const std::vector<Series>& Of(std::string_view question) const;
  bool Has(std::string_view question) const { return !Of(question).empty(); }
  /// When the process that a series is of was scraped; null for one that is not known.
  const std::vector<TimeMs>* ScrapesOf(const Labels& series) const;
};

/// The labels by which a neighbour's process is told apart: cluster, job, instance.
Labels ProcessLabels(const Labels& labels);
/// Whether ProcessLabels has the same of both, which is quicker to ask than to take them: most
/// series of an answer are one process's, one after the other.
bool OfOneProcess(const Labels& a, const Labels& b);

/// A matcher of the cluster that all schedulers share; empty where they name none, or several.
std::string ClusterSelector(const Facts& facts);

/// Asks the questions of the set that are about neighbours for the range of the facts, that about
/// pods for `pods`, within the cluster of their schedulers where all have the same one. The
/// processes' own metrics are asked of the jobs that answered as API servers. Nothing is asked
/// where no scheduler was found. Throws what the source throws.
NeighbourFacts CollectNeighbours(Source& source, const QuerySet& queries, const Facts& facts,
                                 const TimeRange& pods);

// Objects as kube-state-metrics shows them.

/// A label of the object itself. Where the scrape set a label of that name as well, Prometheus has
/// the object's as `exported_...`. Stays valid as long as the label set.
std::string_view ObjectLabel(const Labels& labels, std::string_view name);

/// Every pod of the question `pods`, with its owner of `pod_owners`, each once however many
/// processes show it. A ReplicaSet stands for its Deployment and a Job for its CronJob only where
/// their own owners are known: no name is made up. A StatefulSet's pod that was replaced under the
/// same name is a pod of its own. The answers are read once: they must not change after the first
/// call.
const std::vector<SeenPod>& PodsOf(const NeighbourFacts& facts);
const std::vector<SeenPod>& PodsOf(NeighbourFacts&& facts) = delete;  ///< would not live on

/// When a process that shows pods was scraped first and last; ends before it starts without one.
TimeRange PodScrapes(const NeighbourFacts& facts);

}  // namespace schedlens
