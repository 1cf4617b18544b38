#ifndef SCHEDLENS_SIM_SCENARIO_COSTS_H_
#define SCHEDLENS_SIM_SCENARIO_COSTS_H_

// How long each step of an attempt takes, and how often it fails.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/distribution.h"

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

/// The key in a scenario's `costs` section: `prefilter`, `ext_filter`, `bind_api`, ...
std::string_view CostKey(Cost cost);
/// Whether it is CPU work of the scheduler.
constexpr bool IsCpuWork(Cost cost) { return cost <= Cost::kFailure; }

/// Wall time of one step: a distribution plus worker time proportional to the nodes looked at and
/// to the pods running in the cluster. Per-node work is spread over the loop's workers.
struct StepCost {
  /// CPU work: its time comes from what there is to do (sim/cost), and the rest here says only what
  /// it took where nobody counted. An extender's call: the scheduler's own work is added to `wall`.
  bool computed = false;
  Distribution wall;
  double per_node = 0;  ///< seconds of worker time a node
  double per_pod = 0;   ///< seconds of worker time a running pod

  /// It takes no time, whatever there is.
  bool IsNothing() const { return wall.IsZero() && !computed && !(per_node > 0) && !(per_pod > 0); }
};

/// What every step costs during some time.
struct Costs {
  std::array<StepCost, kCostCount> steps;
  /// One factor an attempt, multiplies all its CPU work: a noisy machine, garbage collection.
  Distribution noise = Distribution::Constant(1);
  // Probabilities of failure, each per attempt that gets there.
  double filter_error = 0;     ///< internal error of a Filter plugin
  double prefilter_error = 0;  ///< internal error of a PreFilter plugin
  double claim_late = 0;       ///< a pod is tried before its claim is in the cache
  double reserve_error = 0;
  double prebind_error = 0;
  double bind_error = 0;  ///< the API server refuses the binding (500)
  double ext_filter_error = 0;
  double ext_bind_error = 0;

  StepCost& operator[](Cost cost) { return steps[static_cast<std::size_t>(cost)]; }
  const StepCost& operator[](Cost cost) const { return steps[static_cast<std::size_t>(cost)]; }

  /// What a quiet scheduler on an idle machine takes (1.20 to 1.26 on 50 nodes, measured); CPU work
  /// is computed instead.
  static Costs Default();
};

/// Costs of one pod template that differ from the common ones.
using CostOverrides = std::vector<std::pair<Cost, StepCost>>;

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_SCENARIO_COSTS_H_
