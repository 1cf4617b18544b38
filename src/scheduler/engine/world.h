#pragma once

// The cluster outside the scheduler: pods and their lives, nodes, groups of pods, deployments.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/engine/placement.h"
#include "scheduler/engine/run_state.h"

namespace schedlens::sim {

enum class PodPhase : std::uint8_t { kPending, kInFlight, kBound, kGone };

struct SimulatedPod {
  std::uint32_t pod_template = 0;
  std::uint32_t number = 0;
  PodPhase phase = PodPhase::kPending;
  bool confirmed = false;      // the informer has shown it bound
  bool condition_set = false;  // its status says PodScheduled=False already
  bool deleting = false;       // a victim on its way out
  bool has_to_bind = false;    // PreBind has volumes to write
  bool ungated = false;        // its scheduling gates were taken away
  std::uint8_t failure_events = 0;
  std::int32_t node = -1;
  std::int32_t nominated = -1;
  std::int32_t gang = -1;
  std::int32_t roll_out = -1;
  std::int32_t victim_of = -1;    // who preempts it
  std::int32_t victims_left = 0;  // of its own preemption
  Nanos preempting_until = 0;     // until then only its last victim is not deleted yet
  std::uint32_t life = 0;         // counts what makes its timers stale
  Nanos created = 0;
  Nanos bound_at = 0;
};

/// Pods that are bound together or not at all: they wait on Permit until all of them are there, or
/// are tried in one cycle.
struct Gang {
  std::size_t pod_template = 0;
  int size = 0;
  int bound = 0;
  int binding = 0;                     // released, not bound yet
  int permitted = 0;                   // passed Permit, not bound yet
  std::vector<PodNumber> members;      // those that were created
  std::vector<std::uint32_t> waiting;  // the binder's jobs

  bool complete() const { return static_cast<int>(members.size()) >= size; }
};

class ApiServer;
class Replicas;

class World {
 public:
  /// Empty but for the scenario's nodes.
  explicit World(RunState& run);
  /// They hear of what happens from now on.
  void Connect(ApiServer& server, Replicas& schedulers) {
    server_ = &server;
    schedulers_ = &schedulers;
  }
  /// The pods of real objects, then those that run from the start.
  void CreateFirstPods();

  PodNumber CreatePod(std::size_t pod_template, std::int32_t gang, std::int32_t roll_out);
  /// A pod, or a gang: its members come one by one.
  void CreatePods(std::size_t pod_template);
  void StartRollOut(std::size_t pod_template, int count, int surge);
  /// The gang's next member.
  void CreateMember(std::uint32_t gang) {
    CreatePod(gangs_[gang].pod_template, static_cast<std::int32_t>(gang), -1);
  }
  /// The scheduler has taken it from its queue.
  void TakeUp(PodNumber pod) {
    pods_[pod].phase = PodPhase::kInFlight;
    --run_.tally.pending;
  }
  /// In the scheduler's cache it is on that node.
  void Assume(PodNumber pod, int node);
  /// Takes an assumed pod off its node again.
  void Unassume(PodNumber pod) {
    placement_.Remove(pod);
    if (pods_[pod].phase == PodPhase::kInFlight) --run_.tally.assumed;
    pods_[pod].node = -1;
  }
  /// A pod in flight is pending again.
  void PutBack(PodNumber pod) {
    pods_[pod].phase = PodPhase::kPending;
    ++run_.tally.pending;
  }
  /// Its binding is complete; its life begins.
  void Bound(PodNumber pod);
  /// The informer shows it bound. False: it was shown already, or is gone.
  bool Confirm(PodNumber pod, std::uint32_t life);
  /// Starts a victim's end: it is gone `after` and its grace period from now.
  void Evict(PodNumber victim, PodNumber by, Nanos after);
  void Nominate(PodNumber pod, int node) {
    pods_[pod].nominated = node;
    placement_.Nominate(pod, pods_[pod].pod_template, node);
  }
  /// Its timer is up; does nothing in another life of the pod.
  void End(PodNumber pod, std::uint32_t life) {
    if (pods_[pod].life == life) RemovePod(pod);
  }
  void AddNodes(int count);
  void DeleteNodes(int count);
  /// Takes the scheduling gates off `count` pods of a template (none: of any), oldest first.
  void Ungate(const std::optional<std::size_t>& pod_template, int count);
  /// The scheduler died: what it had not finished binding is pending again, nobody waits on Permit.
  void DropInFlight();

  std::vector<SimulatedPod>& pods() { return pods_; }
  const std::vector<SimulatedPod>& pods() const { return pods_; }
  SimulatedPod& pod(PodNumber id) { return pods_[id]; }
  /// Null for a pod of no gang.
  Gang* GangOf(PodNumber pod) {
    const std::int32_t gang = pods_[pod].gang;
    return gang < 0 ? nullptr : &gangs_[static_cast<std::size_t>(gang)];
  }
  /// The same of those that wait on Permit for each other, and of those that are tried together.
  Gang* WaitingGang(PodNumber pod) { return run_.scenario.PodGroups() ? nullptr : GangOf(pod); }
  Gang* PodGroupOf(PodNumber pod) { return run_.scenario.PodGroups() ? GangOf(pod) : nullptr; }
  const PodTemplate& TemplateOf(PodNumber pod) const {
    return run_.scenario.templates[pods_[pod].pod_template];
  }
  Placement& placement() { return placement_; }
  const Placement& placement() const { return placement_; }
  /// Pods that exist and are not bound.
  std::size_t Unbound() const {
    const SimulationCounts& c = run_.counts;
    return pods_.size() - c.pods_deleted_bound - c.pods_deleted_pending - run_.tally.bound;
  }
  /// Names of the first pods: those of real objects.
  std::vector<std::string>& object_names() { return object_names_; }

 private:
  struct RollOut {
    std::size_t pod_template = 0;
    int left = 0;
  };

  void CreateObjectPods();
  void PutBound(PodNumber pod, int node);
  void RemovePod(PodNumber pod);
  void ContinueRollOut(std::int32_t roll_out);

  RunState& run_;
  ApiServer* server_ = nullptr;  // null until Connect, as the next one
  Replicas* schedulers_ = nullptr;
  Placement placement_;
  std::vector<SimulatedPod> pods_;
  std::vector<std::string> object_names_;
  std::vector<std::uint32_t> numbers_;  // pods made, by template
  std::vector<Gang> gangs_;
  std::vector<RollOut> roll_outs_;
};

}  // namespace schedlens::sim
