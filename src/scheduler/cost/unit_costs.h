#pragma once

// What each piece of work inside kube-scheduler costs: CPU time of one core, measured on real
// schedulers of two releases with 100 to 5,000 nodes.

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

#include "scheduler/base/release.h"

namespace schedlens::sim {

/// The steps that take time. Steps up to kFailure are CPU work of the scheduler itself (noise and
/// CPU starvation apply); the rest is waiting for somebody else.
enum class Cost {
  kSnapshot,  ///< cache snapshot at the start of an attempt
  kPreFilter,
  kFilter,  ///< wall time of the parallel node loop
  kPreScore,
  kScore,  ///< wall time of scoring, normalising and weighing
  kSelectHost,
  kAssume,
  kReserve,
  kPermit,
  kSpawn,       ///< until the binding goroutine runs
  kPreBind,     ///< CPU part, without waiting for claims
  kBindClient,  ///< client side of one API request: marshalling, connection, wake-ups
  kFinish,      ///< FinishBinding and the event
  kPostBind,
  kPostFilter,  ///< dry run of preemption, without deleting victims
  kUnreserve,
  kFailure,      ///< failure handler's own work after the observation
  kPermitWait,   ///< what a custom Permit plugin makes a pod wait
  kPreBindWait,  ///< what a custom PreBind plugin waits for
  kReserveWait,  ///< what a custom Reserve plugin waits for (on the scheduling loop)
  kBindApi,      ///< API server: binding subresource
  kWriteApi,     ///< API server: pod status PATCH
  kDeleteApi,    ///< API server: DELETE of a victim
  kEventsApi,    ///< API server: event POST and PATCH
  kClaimBind,    ///< PV controller: from the claim's update to bound
  kExtFilter,
  kExtPrioritize,
  kExtPreempt,
  kExtBind,
  kGangSpread,  ///< from a group's creation until one of its members is created
  kInformer,    ///< from a change in the API server to the scheduler's cache
  kCount,
};

inline constexpr std::size_t kCostCount = static_cast<std::size_t>(Cost::kCount);

namespace cost {

/// Not measured cold: half as much again. Not measured in 1.30: as in 1.36.
inline constexpr double kUnmeasured = -1;

/// A piece of work, and microseconds of it: hot and cold as UnitCost has them, in 1.36 and in 1.30.
struct UnitRow {
  std::string_view name;
  double hot_136, cold_136;
  double hot_130 = kUnmeasured, cold_130 = kUnmeasured;
};

// Names are those of the measurement's data; what its table has in prose is named alike.
inline constexpr UnitRow kUnitRows[] = {
    // A call of a Filter plugin on one node.
    {"filter.NodeUnschedulable", 0.0124, 0.0164, 0.0104},
    {"filter.NodeName", 0.0115, 0.0145, 0.0104},
    {"filter.TaintToleration", 0.0307, 0.0383, 0.023},
    {"filter.TaintToleration.perTaint", 0.2, 0.2},  // and for each taint of the node
    {"filter.NodeResourcesFit", 0.0973, 0.3329, 0.0869},
    {"filter.NodeAffinity.required1", 0.1994, 0.6563, 0.2103},
    {"filter.NodeAffinity.required5", 0.3457, kUnmeasured},
    {"filter.NodeAffinity.nodeSelector", 0.0467, kUnmeasured},
    {"filter.NodePorts.1", 0.0353, kUnmeasured},
    {"filter.VolumeBinding.bound1", 4.288, kUnmeasured, 5.8696},
    {"filter.VolumeBinding.bound3", 12.2048, kUnmeasured},
    {"filter.VolumeBinding.wffc1", 1.6438, kUnmeasured},
    {"filter.NodeVolumeLimits.1", 1.2243, kUnmeasured, 1.5034},
    {"filter.NodeVolumeLimits.3", 2.1608, kUnmeasured},
    {"filter.PodTopologySpread.hard1", 0.0778, 0.1776, 0.1334},
    {"filter.PodTopologySpread.hard2", 0.1143, 0.2395, 0.2249},
    {"filter.PodTopologySpread.hard3", 0.208, kUnmeasured},
    {"filter.InterPodAffinity.affinity1", 0.0722, 0.3346, 0.0624},
    {"filter.InterPodAffinity.affinity2", 0.1588, kUnmeasured},
    {"filter.InterPodAffinity.anti1", 0.0303, 0.0391, 0.0286},
    // A call of a Score plugin on one node.
    {"score.TaintToleration", 0.0374, 0.0546, 0.043},
    {"score.NodeResourcesFit", 0.1288, 0.3452, 0.1175},
    {"score.NodeResourcesBalancedAllocation", 0.141, 0.3651, 0.117},
    {"score.ImageLocality", 0.0465, 0.0632, 0.0502},
    {"score.ImageLocality.5containers", 0.1457, kUnmeasured, 0.1284},
    {"score.DynamicResources", 0.0334, 0.0456},
    {"score.NodeAffinity.preferred1", 0.1867, kUnmeasured},
    {"score.NodeAffinity.preferred5", 0.2819, kUnmeasured, 0.3918},
    {"score.InterPodAffinity", 0.1187, 0.3892, 0.1318},
    {"score.PodTopologySpread.zone", 0.0624, 0.1392, 0.102},
    {"score.PodTopologySpread.host.perPodOnNode", 0.0186, 0.1575, 0.0189,
     0.2035},  // and for each pod on the node
    // Once an attempt for each pod in the cluster, or that carries the term.
    {"prefilter.InterPodAffinity.affinity.perPod", 0.0558, 0.2919, 0.0621, 0.3481},
    {"prefilter.InterPodAffinity.affinity2.perPod", 0.0636, 0.2756},
    {"prefilter.InterPodAffinity.anti.perPod", 0.0524, 0.2673, 0.0529, 0.3254},
    {"prefilter.InterPodAffinity.existingAnti.perPod", 0.1127, 0.2886},
    {"prefilter.PodTopologySpread.hard1.perPod", 0.0351, 0.1419, 0.0995, 0.2314},
    {"prefilter.PodTopologySpread.hard2.perPod", 0.0487, 0.1609, 0.085, 0.3214},
    {"prefilter.PodTopologySpread.hard3.perPod", 0.0948, kUnmeasured},
    {"prescore.InterPodAffinity.preferred1.perPod", 0.0771, 0.2972, 0.126, 0.3268},
    {"prescore.InterPodAffinity.preferred5.perPod", 0.1654, kUnmeasured},
    {"prescore.InterPodAffinity.existingPreferred.perPod", 0.1628, 0.4646},
    {"prescore.InterPodAffinity.existingRequired.perPod", 0.4921, 0.4605},
    {"prescore.InterPodAffinity.both.perPod", 0.6473, 0.7132},
    {"prescore.PodTopologySpread.zone.perPod", 0.0378, 0.1424, 0.0425, 0.1976},
    // Around the plugins.
    {"frame.filter.perNode", 0.5552, 0.6038, 0.4468},
    {"frame.score.perNode", 0.517, 0.4348, 0.4759},
    {"frame.recordedPluginCall", 0.2863, 0.2863, 0.2033, 0.2033},
    {"framework.recorder_call_buffer_full_us", 0.0597, 0.0597, 0.134, 0.134},
    {"frame.prefilter", 4.816, 4.816, 4.189, 4.189},
    {"frame.prescore", 7.613, 7.613, 7.24, 7.24},
    {"fixed_per_attempt_us", 190, 190},
    {"unschedulable_extra_per_node_us", 0.45, 0.45},
    {"framework.parallel_until_us.fixed", 12, 12},
    {"framework.parallel_until_us.perPiece", 0.0145, 0.0145},
    {"snapshot_update.perChangedNode", 0.88, 1.57},
    {"snapshot_update.nodeAddedOrRemoved.perNode", 0.058, 0.08},
    {"snapshot_update.affinityLists.perNode", 0.02, 0.026},
    // Events, cache and queue, off the scheduling loop.
    {"framework.decode_pod", 5.346, 5.346, 10.16, 10.16},
    {"cache_and_handlers.on-pod-add-unassigned", 16.2, 16.2, 2.66, 2.66},
    {"cache_and_handlers.on-pod-delete-unassigned", 2.32, 2.32},
    {"cache_and_handlers.on-pod-becomes-assigned-assumed", 12.1, 12.1, 6.45, 6.45},
    {"cache_and_handlers.on-pod-delete-assigned", 2.66, 2.66},
    {"cache_and_handlers.AddPod-confirm", 3.9, 3.9, 7.95, 7.95},
    {"cache_and_handlers.RemovePod", 0.912, 0.912},
    {"queue.Add", 15.6, 15.6, 1.96, 1.96},
    {"queue.AddUnschedulable", 3.68, 3.68, 1.99, 1.99},
    {"queue.DeleteUnschedulable", 1.64, 1.64, 0.74, 0.74},
    {"queue.Move.perPod", 1.97, 1.97, 0.894,
     0.894},  // an unschedulable pod that an event leaves where it is
    {"queue.MoveEverything.perPod", 3.71, 3.71, 2, 2},  // one that it moves
    // A call of a queueing hint (from 1.32).
    {"hints.NodeResourcesFit.Node", 2.315, 2.315},
    {"hints.NodeResourcesFit.Pod", 0.162, 0.162},
    {"hints.NodeAffinity.Node", 4.267, 4.267},
    {"hints.InterPodAffinity", 1.506, 1.506},
    {"hints.PodTopologySpread.Node", 2.038, 2.038},
    {"hints.PodTopologySpread.Pod", 0.257, 0.257},
    {"hints.TaintToleration.Node", 0.149, 0.149},
    {"hints.NodeUnschedulable.Node", 0.138, 0.138},
    {"hints.NodePorts.Pod", 0.01879, 0.01879},
    {"hints.VolumeRestrictions.Pod", 4.192, 4.192},
    {"hints.NodeVolumeLimits.Pod", 0.445, 0.445},
    // Preemption.
    {"preemption.nodes-for-status.perNode", 0.04, 0.15},
    {"preemption.dry-run.perNode", 3.5, 3.5},
    {"preemption.dry-run.perPod", 2.6, 2.6, 5, 5},
    {"preemption.dry-run.perPodAndBudget", 0.3, 0.3},
    {"preemption.select-candidate.perNode", 0.25, 0.25},
    // Extenders and the API client.
    {"extender.filter-call-nodes.perNode", 30.3, 30.3},
    {"extender.filter-call-nodes.perKB", 15.2, 15.2},
    {"extender.filter-call-names.perNode", 0.355, 0.355},
    {"extender.prioritize-call-nodes.perNode", 13.6, 13.6},
    {"extender.prioritize-call-nodes.perKB", 2.35, 2.35},
    {"extender.prioritize-call-names.perNode", 1, 1},
    {"extender.bind-call", 5, 5},
    {"client.bind", 11.04, 11.04, 11.94, 11.94},
    {"client.event-whole", 32.97, 32.97},
    {"client.event-post", 15.78, 15.78, 15.83, 15.83},
    {"client.pod-status-patch-send", 13.68, 13.68},
    {"client.pod-delete", 10.2, 10.2},
};
inline constexpr std::size_t kUnits = std::size(kUnitRows);

/// A piece of work, by its name in the table. Another name does not compile.
class Unit {
 public:
  /// No piece of work.
  constexpr Unit() = default;
  consteval Unit(const char* name) {  // NOLINT(google-explicit-constructor)
    for (index_ = 0; kUnitRows[index_].name != name;) ++index_;
  }
  static constexpr Unit At(std::size_t index) {
    Unit out;
    out.index_ = index;
    return out;
  }
  constexpr explicit operator bool() const { return index_ < kUnits; }
  constexpr std::size_t index() const { return index_; }
  constexpr std::string_view name() const { return kUnitRows[index_].name; }

 private:
  std::size_t index_ = kUnits;
};

/// Microseconds: with what it touches in the second-level cache, and beyond it.
struct UnitCost {
  double hot_us = 0, cold_us = 0;
};

/// How far the objects that an attempt visits lie beyond the second-level cache: 0 hot, 1 cold.
struct Warmth {
  /// Of terms per node and per pod in a cluster of that many.
  Warmth(double nodes, double pods);
  double node = 0, pod = 0;
};

/// A cost that depends on warmth: microseconds a call.
struct Term {
  double hot = 0;
  double slope = 0;  ///< cold - hot
  double At(double warmth) const { return hot + slope * warmth; }
  Term& Add(const UnitCost& unit, double times = 1);
};

class UnitCosts {
 public:
  /// Those of the measured release that is nearest to `release`, the older of two.
  explicit UnitCosts(const Release& release = {});
  /// Of `1.30` or `1.36`; nothing if it is neither.
  static std::optional<UnitCosts> Measured(std::string_view release);

  UnitCost operator[](Unit unit) const;
  void Set(Unit unit, UnitCost cost) { units_[unit.index()] = cost; }
  /// Nanoseconds of a step of the core loop and of a load from memory where the scheduler runs:
  /// all costs are scaled from those of the machine that was measured.
  void Calibrate(double core_ns, double memory_ns);
  double core_ns() const;
  double memory_ns() const;
  /// `1.30.14` or `1.36.3`.
  std::string_view measured() const { return measured_; }

 private:
  std::array<UnitCost, kUnits> units_;
  double core_ = 1, memory_ = 1;  // relative to the machine that was measured
  std::string_view measured_;
};

/// A line that says whose costs a release that was not measured takes; "" for a measured one.
std::string UnmeasuredNote(const Release& release);

}  // namespace cost
}  // namespace schedlens::sim
