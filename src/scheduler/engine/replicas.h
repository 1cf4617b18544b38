#pragma once

// The scheduler's processes: which run, which leads, and what each hears of the world.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "scheduler/cost/unit_costs.h"
#include "scheduler/engine/scheduler_process.h"
#include "scheduler/engine/world.h"

namespace schedlens::sim {

class Replicas {
 public:
  Replicas(RunState& run, World& world);

  void Start(std::uint32_t replica);
  /// `fresh`: it has just listed the pods; a standby has seen each when it was created.
  void Lead(std::uint32_t replica, bool fresh);
  /// A process that died is back. After a restart nobody else leads; after a leader change a
  /// standby does, or will.
  void ProcessBack(std::uint32_t replica) {
    Start(replica);
    if (!leading_ && replica == leader_) Lead(replica, true);
  }
  /// Does nothing if somebody leads.
  void TakeOver(std::uint32_t replica);
  /// The leader's process dies. `next` leads when it comes up.
  void KillLeader(std::uint32_t next);

  bool has_leader() const { return leading_ && processes_[leader_] != nullptr; }
  SchedulerProcess& leader() { return *processes_[leader_]; }
  const SchedulerProcess& leader() const { return *processes_[leader_]; }
  std::uint32_t leader_index() const { return leader_; }
  bool Leads(std::uint32_t replica) const { return leading_ && replica == leader_; }
  /// Counts leaders; an event of an earlier one is stale.
  std::uint32_t life() const { return life_; }
  bool Current(std::uint32_t life) const { return life == life_ && has_leader(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(processes_.size()); }
  /// Null while it is down.
  SchedulerProcess* process(std::uint32_t replica) { return processes_[replica].get(); }

  void FlushRecorders(bool first_half);
  void FlushBackoff() {
    if (has_leader()) leader().queue.FlushBackoff(run_.now);
    Wake();
  }
  void FlushUnschedulable() {
    if (has_leader()) leader().queue.FlushUnschedulable(run_.now);
    Wake();
  }
  /// The leader's queue hears of an event, and the process pays for looking through it.
  void Move(PodEvent event, const EventSubject& subject);

  // What the informers show.
  void HearBound(PodNumber pod);
  void HearClaim(PodNumber pod);
  void PodCreated(PodNumber pod);
  void PodDeleted(PodNumber pod);
  /// A pending pod lost its gates.
  void PodUngated(PodNumber pod);
  void NodesAdded();
  /// Before it and its pods are gone.
  void NodeDeleted(int node);
  /// The leader's loop takes the next pod if it is idle and there is one.
  void Wake();

 private:
  double Handling(std::initializer_list<cost::Unit> work) const;
  void Enqueue(PodNumber pod, Nanos added);
  void MoveAndAdmit(PodEvent event, const EventSubject& subject);
  void CompleteGroup(PodNumber pod);

  RunState& run_;
  World& world_;
  std::unique_ptr<QueueAdvisor> advice_;
  std::vector<std::unique_ptr<SchedulerProcess>> processes_;  // null while it is down
  std::uint32_t leader_ = 0;
  bool leading_ = false;
  std::uint32_t life_ = 0;
  std::vector<PodNumber> gated_;  // kept out of the queue by plugins from outside the tree
};

/// One call of the plugin's queueing hint about the event. 0 for plugins that were not measured or
/// have no function to call.
double HintUs(const cost::UnitCosts& units, Rejection plugin, PodEvent event);

/// Looking through `waiting` unschedulable pods, of which `stayed` are not moved; hints are on top.
double MoveUs(const cost::UnitCosts& units, std::size_t waiting, std::size_t stayed);

}  // namespace schedlens::sim
