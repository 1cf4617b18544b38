#pragma once

// Plugins of one's own for the reference scheduler. This header is all a plugin needs: it compiles
// into a library that `schedlens simulate --plugin FILE.so` loads, or into a program (sim.h).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

/// The extension points, in the order in which a pod passes them. QueueSort is always priority,
/// then age.
enum class PluginPoint : std::uint8_t {
  kPreEnqueue,
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kNormalizeScore,
  kReserve,
  kPermit,
  kPreBind,
  kBind,
  kPostBind,
  kUnreserve,
};

/// What happens in the cluster that may make a waiting pod schedulable.
enum class PluginEvent : std::uint8_t {
  kNodeAdd,
  kAssignedPodAdd,
  kAssignedPodDelete,
  kPersistentVolumeClaimAdd,
  kNodeDelete,  ///< heard of from 1.32 on
};

/// Permit's answer: refused, or how long the pod waits before it goes on to PreBind.
struct PermitAnswer {
  std::optional<std::string> refusal;
  double wait_seconds = 0;
};

/// A plugin: override what it implements, and enable it in the profile at the points it is to run
/// at. An optional string is nothing if all is well, else why not (one short sentence). A method
/// that throws ends the run with an error that names the plugin and the point.
class SchedulerPlugin {
 public:
  virtual ~SchedulerPlugin() = default;

  /// A refused pod stays out of the queue until an event that MayHelp accepts.
  virtual std::optional<std::string> PreEnqueue(const PodView&) const { return {}; }
  /// Refuses the pod on every node; preemption will not help.
  virtual std::optional<std::string> PreFilter(const PodView&) const { return {}; }
  virtual std::optional<std::string> Filter(const PodView&, const NodeView&) const { return {}; }
  /// No node fits; DefaultPreemption follows if the profile has it.
  virtual void PostFilter(const PodView&) const {}
  /// Comes before the nodes are scored.
  virtual void PreScore(const PodView&) const {}
  /// Higher is better. Must be 0 to 100 after NormalizeScore, or the attempt fails.
  virtual std::int64_t Score(const PodView&, const NodeView&) const { return 0; }
  /// True: NormalizeScore is called.
  virtual bool ScalesScores() const { return false; }
  /// By default the highest becomes 100 and the others stay in proportion.
  virtual void NormalizeScore(const PodView&, std::span<std::int64_t> scores) const {
    std::int64_t highest = 0;
    for (const std::int64_t score : scores) highest = score > highest ? score : highest;
    if (highest == 0) return;
    for (std::int64_t& score : scores) score = 100 * score / highest;
  }
  virtual std::optional<std::string> Reserve(const PodView&, const NodeView&) const { return {}; }
  virtual PermitAnswer Permit(const PodView&, const NodeView&) const { return {}; }
  virtual std::optional<std::string> PreBind(const PodView&, const NodeView&) const { return {}; }
  /// The pod is bound.
  virtual void PostBind(const PodView&, const NodeView&) const {}
  /// A reserved pod failed after all.
  virtual void Unreserve(const PodView&, const NodeView&) const {}

  /// Seconds of virtual time that one call takes. Filter and Score are called once a node, shared
  /// by the scheduler's workers; up to Permit the scheduling loop waits for it, from PreBind on the
  /// pod's own goroutine. `node` is null where the point has none.
  virtual double Seconds(PluginPoint, const PodView&, const NodeView*) const { return 0; }
  /// Whether the event may make a pod schedulable that this plugin, and no other, refused.
  virtual bool MayHelp(PluginEvent, const PodView&) const { return true; }
};

/// The name it has in a configuration, and how to make one (each profile has its own).
struct SchedulerPluginFactory {
  std::string name;
  std::function<std::unique_ptr<SchedulerPlugin>()> make;
};

/// What a library puts its plugins into.
class PluginRegistry {
 public:
  virtual ~PluginRegistry() = default;
  virtual void Add(SchedulerPluginFactory factory) = 0;
};

/// Grows when anything above changes: a library of another number is refused. A library and the
/// schedlens that loads it must be built with the same C++ library.
inline constexpr unsigned kPluginAbi = 1;

}  // namespace schedlens

/// The two functions that a plugin library exports.
extern "C" {
__attribute__((visibility("default"))) unsigned schedlens_plugin_abi();
__attribute__((visibility("default"))) void schedlens_plugins(schedlens::PluginRegistry& registry);
}

/// Defines both, for a library of one plugin: SCHEDLENS_PLUGIN("PowerAware", PowerAware)
#define SCHEDLENS_PLUGIN(name, Class)                               \
  unsigned schedlens_plugin_abi() { return schedlens::kPluginAbi; } \
  void schedlens_plugins(schedlens::PluginRegistry& registry) {     \
    registry.Add({name, [] { return std::make_unique<Class>(); }}); \
  }
