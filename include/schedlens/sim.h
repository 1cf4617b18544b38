#ifndef SCHEDLENS_SIM_H_
#define SCHEDLENS_SIM_H_

// Scheduling with the reference scheduler and plugins of one's own.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// What a plugin may ask of a pod. Views are good until the call returns.
class PodView {
 public:
  virtual ~PodView() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view namespace_name() const = 0;
  virtual std::int64_t priority() const = 0;
  /// Nothing if the pod does not have the label.
  virtual std::optional<std::string_view> Label(std::string_view key) const = 0;
  /// `cpu` in thousandths of a core, `memory` and the like in bytes, others as counted; 0 if the
  /// pod does not ask for it.
  virtual std::int64_t Request(std::string_view resource) const = 0;
};

/// What a plugin may ask of a node.
class NodeView {
 public:
  virtual ~NodeView() = default;
  virtual std::string_view name() const = 0;
  virtual std::optional<std::string_view> Label(std::string_view key) const = 0;
  /// Units as in PodView::Request.
  virtual std::int64_t Allocatable(std::string_view resource) const = 0;
  virtual std::int64_t Requested(std::string_view resource) const = 0;
  virtual std::int32_t pods() const = 0;
};

/// A plugin: override what it implements, and enable it at `filter` or `score` in the profile.
class SchedulerPlugin {
 public:
  virtual ~SchedulerPlugin() = default;
  /// Nothing if the pod may run there, else why not (one short sentence).
  virtual std::optional<std::string> Filter(const PodView&, const NodeView&) const { return {}; }
  /// Higher is better. Without Normalize it must be 0 to 100, or the attempt fails.
  virtual std::int64_t Score(const PodView&, const NodeView&) const { return 0; }
  /// True: scores are scaled so that the highest becomes 100.
  virtual bool ScalesScores() const { return false; }
};

/// The name it has in a configuration, and how to make one (each profile has its own).
struct SchedulerPluginFactory {
  std::string name;
  std::function<std::unique_ptr<SchedulerPlugin>()> make;
};

/// Where one pod went.
struct PlacedPod {
  std::string pod;   ///< namespace/name
  std::string node;  ///< empty if none fits
  std::int32_t feasible = 0;
  std::string message;  ///< the scheduler's sentence if none fits
};

/// Schedules the pending pods of a cluster one after the other, by priority and then in the order
/// of the list, each seeing the ones before it. `objects_json` is a v1 List as `kubectl get
/// nodes,pods -A -o json` prints it; `configuration_yaml` a KubeSchedulerConfiguration (empty: the
/// defaults of `kubernetes_version`). No preemption, no time. Throws Error for invalid
/// input.
std::vector<PlacedPod> PlacePendingPods(std::string_view objects_json,
                                        std::string_view configuration_yaml,
                                        std::string_view kubernetes_version, std::uint64_t seed,
                                        const std::vector<SchedulerPluginFactory>& plugins = {});

}  // namespace schedlens

#endif  // SCHEDLENS_SIM_H_
