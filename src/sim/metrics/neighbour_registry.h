#ifndef SCHEDLENS_SIM_METRICS_NEIGHBOUR_REGISTRY_H_
#define SCHEDLENS_SIM_METRICS_NEIGHBOUR_REGISTRY_H_

// The metrics of a process beside the scheduler: what an API server or an etcd would answer to
// GET /metrics.

#include <deque>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/metrics.h"
#include "sim/metrics/registry.h"

namespace schedlens::sim {

using kube::Neighbour;

/// A label by its newest spelling.
using NamedLabel = std::pair<std::string_view, std::string_view>;

/// Children appear with their first use. A metric that the release does not show can still be used:
/// it goes to a child nobody exports.
class NeighbourRegistry {
 public:
  /// A component of a cluster of Kubernetes 1.`minor`.
  NeighbourRegistry(kube::Component component, int minor);
  NeighbourRegistry(const NeighbourRegistry&) = delete;
  NeighbourRegistry& operator=(const NeighbourRegistry&) = delete;

  /// The child of the component's own metric, or of one that the scheduler has too, created if need
  /// be; the reference stays good as long as the registry. Labels that the release lacks are left
  /// out, those that are not given are empty.
  MetricChild& Get(Metric metric, std::initializer_list<NamedLabel> labels);
  bool Shows(Metric metric) const;
  const std::deque<MetricChild>& children() const { return children_; }

 private:
  /// The release, by the numbers that the row's component has.
  int ReleaseFor(const MetricRow& row) const;

  kube::Component component_;
  int minor_;    // of Kubernetes
  int release_;  // of the component
  std::map<std::pair<const MetricRow*, std::vector<std::string>>, MetricChild*> by_labels_;
  std::deque<MetricChild> children_;
  MetricChild unseen_;
};

/// Metric families of the neighbours and their types, as OpenMetrics names them.
std::map<std::string, std::string> NeighbourTypes();

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_METRICS_NEIGHBOUR_REGISTRY_H_
