#ifndef SCHEDLENS_SIM_PLACEMENT_H_
#define SCHEDLENS_SIM_PLACEMENT_H_

// Where pods go. The event loop asks; either a simplified answer (resources only) or the full
// scheduling algorithm gives it.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/scenario.h"
#include "sim/scheduling_queue.h"

namespace schedlens::sim {

struct PlacementDecision {
  int node = -1;            ///< -1: no node fits
  int evaluated = 0;        ///< nodes that went through the filters
  int feasible = 0;         ///< nodes that passed
  unsigned rejections = 0;  ///< bits of Rejection, when none fits
  std::string_view rejecting_plugin;
  bool unresolvable = false;  ///< preemption cannot help
};

struct PreemptionPlan {
  int node = -1;
  std::vector<PodId> victims;
};

/// The scheduler's picture of the cluster: nodes and the pods assumed or bound to them.
class Placement {
 public:
  virtual ~Placement() = default;
  /// Looks for a node; changes nothing.
  virtual PlacementDecision Place(PodId pod, std::size_t pod_template) = 0;
  /// Whether the pod fits on that one node (the nominated-node shortcut).
  virtual bool Fits(PodId pod, std::size_t pod_template, int node) = 0;
  virtual void Assume(PodId pod, std::size_t pod_template, int node) = 0;
  /// Forgets a pod wherever it is; unknown pods are ignored.
  virtual void Remove(PodId pod) = 0;
  /// A preempting pod's claim to a node: pods of lower or equal priority do not take its room. -1
  /// withdraws it; Assume and Remove do too.
  virtual void Nominate(PodId pod, std::size_t pod_template, int node) = 0;
  /// A node whose lower-priority pods, removed, make room; the fewest and least important ones.
  virtual PreemptionPlan Preempt(PodId pod, std::size_t pod_template) = 0;
  /// Returns the new node's index.
  virtual int AddNode(std::size_t group) = 0;
  /// Returns the pods that were on it. They are forgotten with the node.
  virtual std::vector<PodId> DeleteNode(int node) = 0;
  virtual int node_count() const = 0;
  /// Every index ever given, deleted nodes included.
  virtual int node_slots() const = 0;
  virtual bool alive(int node) const = 0;
  virtual std::string NodeName(int node) const = 0;
  /// No node over capacity; what tests check.
  virtual bool WithinCapacity() const = 0;
};

/// How many feasible nodes end the search (percentageOfNodesToScore; 0 means adaptive).
int FeasibleLimit(int nodes, int percentage);

/// Resources and pod counts only; a uniform choice among the feasible nodes. Deterministic for a
/// seed.
std::unique_ptr<Placement> MakeSimplePlacement(const Scenario& scenario, std::uint64_t seed);

/// As the scenario asks: simple or full.
std::unique_ptr<Placement> MakePlacement(const Scenario& scenario, std::uint64_t seed);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_PLACEMENT_H_
