#pragma once

// The scheduler's processes: which run, which leads, and what each hears of the world.

#include "scheduler/engine/scheduler_process.h"
#include "scheduler/engine/world.h"
#include "scheduler/queue/hints.h"

namespace schedlens::sim {

/// One call of the plugin's queueing hint about the event. 0 if not measured, or nothing is called.
inline double HintUs(const cost::UnitCosts& units, Rejection plugin, PodEvent event) {
  struct HintUnits {  // {}: nothing to call
    Rejection plugin;
    cost::Unit node, pod;
  };
  static constexpr HintUnits kHints[] = {
      {kRejectedByResources, "hints.NodeResourcesFit.Node", "hints.NodeResourcesFit.Pod"},
      {kRejectedByNodeAffinity, "hints.NodeAffinity.Node", {}},
      {kRejectedByInterPodAffinity, "hints.InterPodAffinity", "hints.InterPodAffinity"},
      {kRejectedByTopologySpread, "hints.PodTopologySpread.Node", "hints.PodTopologySpread.Pod"},
      {kRejectedByTaints, "hints.TaintToleration.Node", {}},
      {kRejectedByUnschedulable, "hints.NodeUnschedulable.Node", {}},
      {kRejectedByPorts, {}, "hints.NodePorts.Pod"},
      {kRejectedByVolumeRestrictions, {}, "hints.VolumeRestrictions.Pod"},
      {kRejectedByVolumeLimits, {}, "hints.NodeVolumeLimits.Pod"},
  };
  const bool node = event == PodEvent::kNodeAdd || event == PodEvent::kNodeDelete;
  const bool pod = event == PodEvent::kAssignedPodAdd || event == PodEvent::kAssignedPodDelete;
  for (const HintUnits& row : kHints) {
    if (row.plugin != plugin) continue;
    const cost::Unit unit = node ? row.node : pod ? row.pod : cost::Unit();
    return unit ? units[unit].hot_us : 0;
  }
  return 0;
}

/// Looking through `waiting` unschedulable pods, of which `stayed` are not moved; hints are on top.
inline double MoveUs(const cost::UnitCosts& units, std::size_t waiting, std::size_t stayed) {
  const auto left = static_cast<double>(std::min(stayed, waiting));
  const double moved = static_cast<double>(waiting) - left;
  return left * units["queue.Move.perPod"].hot_us +
         moved * units["queue.MoveEverything.perPod"].hot_us;
}

// What the simulated cluster tells the queue: hints, gates, which pods fit a new node. Pods of one
// template get one answer, worked out once an event.
class QueueAdvice : public QueueAdvisor {
 public:
  QueueAdvice(const RunState& run, World& world)
      : run_(run),
        world_(world),
        hints_({run.scenario.release.minor, run.scenario.release.minor >= 33},
               world.placement().cluster()) {}

  bool Helps(PodNumber waiting, Rejection plugin, PodEvent event, std::uint32_t subject) override {
    if (subject == EventSubject::kNone) return true;
    // What a preempting pod waits for is the end of its last victim.
    if (plugin == kRejectedByPreemption) return world_.pod(waiting).victims_left == 0;
    if (plugin == kRejectedByOther && !MayHelp(waiting, event)) return false;
    // Of these only the pod itself is asked.
    if (event == PodEvent::kGatesEliminated) return true;
    if (event == PodEvent::kClaimAdd && plugin != kRejectedByOther) return subject == waiting + 1;
    const auto bit = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(plugin)));
    return Once(waiting, bit, event, subject,
                [&](const core::PodSpec& spec) { return Ask(spec, plugin, event, subject); });
  }

  bool Admits(PodNumber waiting, std::uint32_t node) override {
    return Once(waiting, kAdmission, PodEvent::kNodeAdd, node + 1, [&](const core::PodSpec& spec) {
      return hints_.Admits(spec,
                           world_.placement().cluster().node(static_cast<core::NodeId>(node)).node);
    });
  }

  // Pods that a plugin from outside the tree refused hear of every pod it expects something of.
  bool Attracted(PodNumber waiting, std::uint32_t pod_template) override {
    const Placement& placement = world_.placement();
    return placement.Attracts(pod_template, world_.pod(waiting).pod_template) ||
           (placement.OwnRefused(waiting) && MayHelp(waiting, PodEvent::kAssignedPodAdd));
  }

  Rejection GatedBy(PodNumber pod) override {
    const SimulatedPod& p = world_.pod(pod);
    if (p.preempting_until > run_.now) return kRejectedByPreemption;
    if (const Gang* group = world_.PodGroupOf(pod); group && !group->complete()) {
      return kRejectedByGang;
    }
    const core::PodSpec& spec = world_.placement().SpecOf(p.pod_template);
    return spec.scheduling_gates > 0 && !p.ungated ? kRejectedByGates : kRejectedByNobody;
  }

  bool MayHelp(PodNumber waiting, PodEvent event) override {
    return world_.placement().MayHelp(event, waiting, world_.pod(waiting).pod_template);
  }

 private:
  static constexpr std::size_t kPlugins = 24;
  static constexpr std::size_t kAdmission = kPlugins - 1;  // a question of no plugin

  static std::vector<core::Id> ClaimsOf(const core::PodSpec& spec) {
    std::vector<core::Id> out;
    for (const core::PodVolume& volume : spec.volumes) {
      if (volume.kind == core::PodVolume::Kind::kClaim) out.push_back(volume.claim_name);
    }
    return out;
  }

  // Two pods with disks in them may want the same one; whether they do is not looked at.
  static bool HasDisks(const core::PodSpec& spec) {
    using Kind = core::PodVolume::Kind;
    return std::ranges::any_of(spec.volumes, [](const auto& volume) {
      return volume.kind != Kind::kClaim && volume.kind != Kind::kEphemeral;
    });
  }

  // The answer to one event and subject, by template and plugin; asked for once.
  template <typename Question>
  bool Once(PodNumber waiting, std::size_t plugin, PodEvent event, std::uint32_t subject,
            const Question& question) {
    if (event != event_ || subject != subject_) {
      event_ = event;
      subject_ = subject;
      answers_.clear();
    }
    const std::uint32_t shape = world_.pod(waiting).pod_template;
    if (shape >= answers_.size()) answers_.resize(shape + std::size_t{1});
    std::optional<bool>& answer = answers_[shape][plugin];
    if (!answer) answer = question(world_.placement().SpecOf(shape));
    return *answer;
  }

  // A plugin whose hint is not known here says Queue, as one without a hint does.
  bool Ask(const core::PodSpec& spec, Rejection plugin, PodEvent event,
           std::uint32_t subject) const {
    const Placement& placement = world_.placement();
    const std::uint32_t index = subject - 1;
    const std::vector<core::Id> claims = ClaimsOf(spec);
    const queue::HintPod pod{&spec, 0, false, false, claims};
    std::vector<core::Id> other_claims;
    queue::HintChange change;
    queue::HintPod other;
    if (event == PodEvent::kNodeAdd) {
      change.new_node = &placement.cluster().node(static_cast<core::NodeId>(index)).node;
    } else if (event == PodEvent::kNodeDelete) {
      const core::NodeInfo& gone = placement.cluster().node(static_cast<core::NodeId>(index));
      if (!gone.alive) return true;  // asked after an attempt: what it was is no longer known
      change.old_node = &gone.node;
    } else if (event == PodEvent::kAssignedPodAdd || event == PodEvent::kAssignedPodDelete) {
      const core::PodSpec& its = placement.SpecOf(index);
      if (plugin == kRejectedByVolumeRestrictions && HasDisks(spec) && HasDisks(its)) return true;
      other_claims = ClaimsOf(its);
      other = {&its, 1, true, false, other_claims};
      (event == PodEvent::kAssignedPodAdd ? change.new_pod : change.old_pod) = &other;
    } else {
      return true;
    }
    return hints_.Ask(RejecterOf(plugin), pod, change).value_or(true);
  }

  const RunState& run_;
  World& world_;
  queue::Hints hints_;
  PodEvent event_ = PodEvent::kPodAdd;
  std::uint32_t subject_ = 0;
  std::vector<std::array<std::optional<bool>, kPlugins>> answers_;
};

class Replicas {
 public:
  Replicas(RunState& run, World& world)
      : run_(run),
        world_(world),
        advice_(run, world),
        processes_(static_cast<std::size_t>(run.scenario.replicas)) {}

  void Start(std::uint32_t replica) {
    processes_[replica] = std::make_unique<SchedulerProcess>(
        run_.scenario, world_.placement().features(), run_.options,
        Random(run_.options.seed, 1000 + replica + 64 * run_.counts.restarts), run_.now);
    SchedulerProcess& process = *processes_[replica];
    for (int node = 0; node < world_.placement().node_count(); ++node) {
      process.Heard(PodEvent::kNodeAdd);
    }
    process.queue.SetAdvisor(&advice_);
    if (run_.scenario.release.minor >= 31) {
      process.queue.SetHintObserver([this, &process](PodEvent event, Rejection plugin, bool helps) {
        process.ObserveHint(event, plugin, helps);
        if (run_.scenario.release.minor < 32) return;  // asks no hint
        process.cpu_seconds += HintUs(run_.conditions->units, plugin, event) * 1e-6;
      });
    }
    if (run_.watch) {
      process.queue.SetListener([this](PodNumber pod, QueueName to, PodEvent event) {
        if (!run_.watch->Is(pod)) return;
        const HeapEvent& now = run_.handling;
        const bool of_pod = now.kind == EventKind::kVictimGone || now.kind == EventKind::kPodEnds ||
                            now.kind == EventKind::kConfirmed;
        run_.watch->Moved(run_.now, to, event, of_pod ? std::int64_t{now.subject} : -1);
      });
    }
    // An idle process watches pods too.
    process.standby_adds = world_.Unbound();
  }

  /// `fresh`: it has just listed the pods; a standby has seen each when it was created.
  void Lead(std::uint32_t replica, bool fresh) {
    leader_ = replica;
    leading_ = true;
    ++life_;
    SchedulerProcess& process = leader();
    gated_.clear();
    std::uint64_t added = 0;
    for (PodNumber pod = 0; pod < world_.pods().size(); ++pod) {
      const SimulatedPod& p = world_.pod(pod);
      if (p.phase != PodPhase::kPending) continue;
      Enqueue(pod, fresh ? run_.now : p.created);
      ++added;
    }
    process.standby_adds -= std::min(process.standby_adds, added);
    Wake();
  }

  /// A process that died is back. After a restart nobody else leads; else a standby does, or will.
  void ProcessBack(std::uint32_t replica) {
    Start(replica);
    if (!leading_ && replica == leader_) Lead(replica, true);
  }
  /// Does nothing if somebody leads.
  void TakeOver(std::uint32_t replica) {
    if (leading_) return;
    if (processes_[replica] == nullptr) Start(replica);
    Lead(replica, false);
  }
  /// The leader's process dies. `next` leads when it comes up.
  void KillLeader(std::uint32_t next) {
    ++run_.counts.restarts;
    processes_[leader_].reset();
    leader_ = next;
    leading_ = false;
    ++life_;
  }

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

  void FlushRecorders(bool first_half) {
    for (const auto& process : processes_) {
      if (process == nullptr) continue;
      process->CatchUp(run_.now);
      process->FlushRecorders(first_half);
    }
  }
  void FlushQueue(void (SchedulingQueue::*flush)(Nanos)) {
    if (has_leader()) (leader().queue.*flush)(run_.now);
    Wake();
  }
  /// The leader's queue hears of an event, and the process pays for looking through it.
  void Move(PodEvent event, const EventSubject& subject) {
    SchedulerProcess& process = leader();
    process.events.Note(InformerEventOf(event));
    const std::size_t waiting = process.queue.size(QueueName::kUnschedulable);
    process.queue.MoveOnEvent(event, run_.now, subject);
    const std::size_t stayed = process.queue.size(QueueName::kUnschedulable);
    process.cpu_seconds += MoveUs(run_.conditions->units, waiting, stayed) * 1e-6;
  }

  // What the informers show.
  void HearBound(PodNumber pod) {
    for (const auto& process : processes_) {
      if (process == nullptr) continue;
      process->Heard(PodEvent::kAssignedPodAdd);
      process->events.Handled(InformerEvent::kPodDelete);
    }
    if (!has_leader()) return;
    leader().cpu_seconds += Handling({"cache_and_handlers.on-pod-becomes-assigned-assumed",
                                      "cache_and_handlers.AddPod-confirm"});
    MoveAndAdmit(PodEvent::kAssignedPodAdd, {world_.pod(pod).pod_template + 1, pod});
    Wake();
  }

  void HearClaim(PodNumber pod) {
    if (!has_leader()) return;
    leader().Heard(PodEvent::kClaimAdd);
    MoveAndAdmit(PodEvent::kClaimAdd, {pod + 1, pod});
    Wake();
  }
  void PodCreated(PodNumber pod) {
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (processes_[i] == nullptr) continue;
      SchedulerProcess& process = *processes_[i];
      process.events.Handled(InformerEvent::kPodAdd);
      if (!Leads(i)) {
        ++process.standby_adds;
        continue;
      }
      Enqueue(pod, run_.now);
      // The last pod of a group lets the others into activeQ.
      if (const Gang* group = world_.PodGroupOf(pod); group != nullptr && group->complete()) {
        for (const PodNumber member : group->members) process.queue.Activate(member, run_.now);
      }
      process.cpu_seconds += Handling({"cache_and_handlers.on-pod-add-unassigned", "queue.Add"});
      if (run_.scenario.release.minor >= 26) {
        process.ObservePoint(ExtensionPoint::kPreEnqueue, Status::kSuccess,
                             world_.pod(pod).pod_template, 2 * kMicrosecond);
      }
      if (run_.scenario.release.minor >= 36) process.Sign(world_.pod(pod).pod_template);
    }
  }

  void PodDeleted(PodNumber pod) {
    const bool assigned = world_.pod(pod).node >= 0;
    for (const auto& process : processes_) {
      if (process == nullptr) continue;
      if (assigned) {
        process->Heard(PodEvent::kAssignedPodDelete);
      } else {
        process->events.Handled(InformerEvent::kPodDelete);
      }
    }
    if (!has_leader()) return;
    const SimulatedPod& p = world_.pod(pod);
    leader().queue.Remove(pod);
    std::erase(gated_, pod);
    leader().cpu_seconds += assigned ? Handling({"cache_and_handlers.on-pod-delete-assigned",
                                                 "cache_and_handlers.RemovePod"})
                                     : Handling({"cache_and_handlers.on-pod-delete-unassigned",
                                                 "queue.DeleteUnschedulable"});
    const EventSubject subject{p.pod_template + 1, pod};
    if (assigned) {
      MoveAndAdmit(PodEvent::kAssignedPodDelete, subject);
    } else if (p.nominated >= 0 && run_.scenario.release.minor >= 32) {
      // Its room on the nominated node is free for pods that had to leave it.
      leader().queue.MoveUpTo(world_.TemplateOf(pod).priority, PodEvent::kAssignedPodDelete,
                              run_.now, subject);
    }
  }

  /// A pending pod lost its gates.
  void PodUngated(PodNumber pod) {
    if (!has_leader()) return;
    leader().cpu_seconds += Handling({});
    leader().events.Handled(InformerEvent::kPodUpdate);
    leader().queue.Ungate(pod, world_.TemplateOf(pod).priority, run_.now);
  }
  void NodesAdded() {
    if (!has_leader()) return;
    leader().Heard(PodEvent::kNodeAdd);
    // They are of one shape: what the last one says the others would say as well.
    MoveAndAdmit(PodEvent::kNodeAdd,
                 {static_cast<std::uint32_t>(world_.placement().node_slots()), 0});
  }
  /// Before it and its pods are gone. Before 1.32 the handler tells only the cache.
  void NodeDeleted(int node) {
    if (!has_leader()) return;
    leader().Heard(PodEvent::kNodeDelete);
    if (run_.scenario.release.minor < 32) return;
    MoveAndAdmit(PodEvent::kNodeDelete, {static_cast<std::uint32_t>(node) + 1, 0});
  }
  /// The leader's loop takes the next pod if it is idle and there is one.
  void Wake() {
    if (!has_leader() || leader().work.busy) return;
    if (!leader().queue.CanPop()) return;
    leader().work.busy = true;
    run_.heap.Push(run_.now, EventKind::kLoop, 0, life_);
  }

 private:
  // CPU seconds of one watch event: decoding it, and what is done about it.
  double Handling(std::initializer_list<cost::Unit> work) const {
    const cost::UnitCosts& units = run_.conditions->units;
    double us = units["framework.decode_pod"].hot_us;
    for (const cost::Unit unit : work) us += units[unit].hot_us;
    return us * 1e-6;
  }
  // A pod that a PreEnqueue plugin from outside the tree refuses is kept apart.
  void Enqueue(PodNumber pod, Nanos added) {
    const std::uint32_t shape = world_.pod(pod).pod_template;
    const core::PointAnswer answer =
        world_.placement().RunPlugins(ExtensionPoint::kPreEnqueue, pod, shape, -1);
    if (answer.refused) {
      gated_.push_back(pod);
      return;
    }
    leader().queue.Add(pod, world_.TemplateOf(pod).priority, added);
  }

  // Pods that a plugin keeps out of the queue may enter it now, too.
  void MoveAndAdmit(PodEvent event, const EventSubject& subject) {
    Move(event, subject);
    for (const PodNumber pod : std::exchange(gated_, {})) {
      if (world_.placement().MayHelp(event, pod, world_.pod(pod).pod_template)) {
        Enqueue(pod, run_.now);
      } else {
        gated_.push_back(pod);
      }
    }
  }

  RunState& run_;
  World& world_;
  QueueAdvice advice_;
  std::vector<std::unique_ptr<SchedulerProcess>> processes_;  // null while it is down
  std::uint32_t leader_ = 0;
  bool leading_ = false;
  std::uint32_t life_ = 0;
  std::vector<PodNumber> gated_;  // kept out of the queue by plugins from outside the tree
};

}  // namespace schedlens::sim
