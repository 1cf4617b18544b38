#pragma once

// What each piece of work inside kube-scheduler costs: CPU time of one core, measured on real
// schedulers of two releases with 100 to 5,000 nodes.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/release.h"

namespace schedlens::sim::cost {

/// The pieces; unit_costs.cc has the name and the figures of each.
enum class Unit : std::uint8_t {
  // A call of a Filter plugin on one node.
  kFilterNodeUnschedulable,
  kFilterNodeName,
  kFilterTaintToleration,
  kFilterTaint,  ///< and for each taint of the node
  kFilterResourcesFit,
  kFilterNodeAffinity1,
  kFilterNodeAffinity5,
  kFilterNodeSelector,
  kFilterNodePorts,
  kFilterVolumeBound1,
  kFilterVolumeBound3,
  kFilterVolumeLate,
  kFilterVolumeLimits1,
  kFilterVolumeLimits3,
  kFilterSpread1,
  kFilterSpread2,
  kFilterSpread3,
  kFilterAffinity1,
  kFilterAffinity2,
  kFilterAntiAffinity,
  // A call of a Score plugin on one node.
  kScoreTaintToleration,
  kScoreResourcesFit,
  kScoreBalancedAllocation,
  kScoreImageLocality1,
  kScoreImageLocality5,
  kScoreDynamicResources,
  kScoreNodeAffinity1,
  kScoreNodeAffinity5,
  kScoreInterPodAffinity,
  kScoreSpreadKey,
  kScoreSpreadHostPod,  ///< and for each pod on the node
  // Once an attempt for each pod in the cluster, or that carries the term.
  kPreFilterAffinity1,
  kPreFilterAffinity2,
  kPreFilterAntiAffinity,
  kPreFilterExistingAnti,
  kPreFilterSpread1,
  kPreFilterSpread2,
  kPreFilterSpread3,
  kPreScorePreferred1,
  kPreScorePreferred5,
  kPreScoreExistingPreferred,
  kPreScoreExistingRequired,
  kPreScoreBothPreferred,
  kPreScoreSpreadKey,
  // Around the plugins.
  kFrameFilter,
  kFrameScore,
  kFrameRecordedCall,
  kFrameDroppedCall,
  kFramePreFilter,
  kFramePreScore,
  kFixed,
  kUnschedulableNode,
  kUntilFixed,
  kUntilPiece,
  kSnapshotChangedNode,
  kSnapshotRebuildNode,
  kSnapshotAffinityNode,
  // Events, cache and queue, off the scheduling loop.
  kDecodePod,
  kPodAdded,
  kPodDeletedPending,
  kPodSeenBound,
  kPodDeletedBound,
  kConfirmPod,
  kRemovePod,
  kQueueAdd,
  kQueueAddUnschedulable,
  kQueueDelete,
  kQueueLookedAt,  ///< an unschedulable pod that an event leaves where it is
  kQueueMoved,     ///< one that it moves
  // A call of a queueing hint (from 1.32).
  kHintFitNode,
  kHintFitPod,
  kHintNodeAffinity,
  kHintInterPodAffinity,
  kHintSpreadNode,
  kHintSpreadPod,
  kHintTaintToleration,
  kHintUnschedulable,
  kHintNodePorts,
  kHintVolumeRestrictions,
  kHintVolumeLimits,
  // Preemption.
  kPreemptFindNode,
  kPreemptCandidate,
  kPreemptPod,
  kPreemptBudgetPod,
  kPreemptPick,
  // Extenders and the API client.
  kExtFilterNode,
  kExtFilterKilobyte,
  kExtFilterName,
  kExtPrioritizeNode,
  kExtPrioritizeKilobyte,
  kExtPrioritizeName,
  kExtBind,
  kClientBind,
  kClientEvent,
  kClientEventPost,
  kClientStatusPatch,
  kClientDelete,
  kCount,
};
inline constexpr std::size_t kUnits = static_cast<std::size_t>(Unit::kCount);

/// Microseconds: with what it touches in the second-level cache, and beyond it.
struct UnitCost {
  double hot_us = 0;
  double cold_us = 0;
};

/// How far the objects that an attempt visits lie beyond the second-level cache: 0 hot, 1 cold.
struct Warmth {
  /// Of terms per node and per pod in a cluster of that many.
  Warmth(double nodes, double pods);
  double node = 0;
  double pod = 0;
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
  void Set(Unit unit, UnitCost cost) { units_[static_cast<std::size_t>(unit)] = cost; }
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

std::string_view NameOf(Unit unit);
/// A line that says whose costs a release that was not measured takes; "" for a measured one.
std::string UnmeasuredNote(const Release& release);

}  // namespace schedlens::sim::cost
