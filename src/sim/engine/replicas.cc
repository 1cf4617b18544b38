#include "sim/engine/replicas.h"

#include <algorithm>
#include <utility>

namespace schedlens::sim {
namespace {

using cost::Unit;

// The pod that the event is about; -1 for others.
std::int64_t SubjectOf(const HeapEvent& event) {
  const bool pod = event.kind == EventKind::kVictimGone || event.kind == EventKind::kPodEnds ||
                   event.kind == EventKind::kConfirmed;
  return pod ? static_cast<std::int64_t>(event.subject) : -1;
}

// kCount: nothing to call.
struct HintUnits {
  Rejection plugin;
  Unit node, pod;
};
constexpr HintUnits kHints[] = {
    {kRejectedByResources, Unit::kHintFitNode, Unit::kHintFitPod},
    {kRejectedByNodeAffinity, Unit::kHintNodeAffinity, Unit::kCount},
    {kRejectedByInterPodAffinity, Unit::kHintInterPodAffinity, Unit::kHintInterPodAffinity},
    {kRejectedByTopologySpread, Unit::kHintSpreadNode, Unit::kHintSpreadPod},
    {kRejectedByTaints, Unit::kHintTaintToleration, Unit::kCount},
    {kRejectedByUnschedulable, Unit::kHintUnschedulable, Unit::kCount},
    {kRejectedByPorts, Unit::kCount, Unit::kHintNodePorts},
    {kRejectedByVolumeRestrictions, Unit::kCount, Unit::kHintVolumeRestrictions},
    {kRejectedByVolumeLimits, Unit::kCount, Unit::kHintVolumeLimits},
};

}  // namespace

Replicas::Replicas(RunState& run, World& world)
    : run_(run),
      world_(world),
      advice_(run, world),
      processes_(static_cast<std::size_t>(run.scenario.replicas)) {}

void Replicas::Start(std::uint32_t replica) {
  processes_[replica] = std::make_unique<SchedulerProcess>(
      run_.scenario, world_.placement().features(), run_.options,
      Random(run_.options.seed, 1000 + replica + 64 * run_.counts.restarts), run_.now);
  for (int node = 0; node < world_.placement().node_count(); ++node) {
    processes_[replica]->Heard(PodEvent::kNodeAdd);
  }
  processes_[replica]->queue.SetAdvisor(&advice_);
  if (run_.scenario.release.minor >= 31) {
    processes_[replica]->queue.SetHintObserver([this, &process = *processes_[replica]](
                                                   PodEvent event, unsigned rejection, bool helps) {
      process.ObserveHint(event, static_cast<Rejection>(rejection), helps);
      if (run_.scenario.release.minor < 32) return;  // asks no hint
      const double us = HintUs(run_.conditions->units, static_cast<Rejection>(rejection), event);
      process.cpu_seconds += us * 1e-6;
    });
  }
  if (run_.watch) {
    processes_[replica]->queue.SetListener([this](PodNumber pod, QueueName to, PodEvent event) {
      if (run_.watch->Is(pod)) run_.watch->Moved(run_.now, to, event, SubjectOf(run_.handling));
    });
  }
  // An idle process watches pods too.
  processes_[replica]->standby_adds = world_.Unbound();
}

void Replicas::Lead(std::uint32_t replica, bool fresh) {
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

void Replicas::ProcessBack(std::uint32_t replica) {
  Start(replica);
  if (!leading_ && replica == leader_) Lead(replica, true);
}

void Replicas::TakeOver(std::uint32_t replica) {
  if (leading_) return;
  if (processes_[replica] == nullptr) Start(replica);
  Lead(replica, false);
}

void Replicas::KillLeader(std::uint32_t next) {
  ++run_.counts.restarts;
  processes_[leader_].reset();
  leader_ = next;
  leading_ = false;
  ++life_;
}

void Replicas::FlushRecorders(bool first_half) {
  for (const auto& process : processes_) {
    if (process == nullptr) continue;
    process->CatchUp(run_.now);
    process->FlushRecorders(first_half);
  }
}

void Replicas::FlushBackoff() {
  if (has_leader()) leader().queue.FlushBackoff(run_.now);
  Wake();
}

void Replicas::FlushUnschedulable() {
  if (has_leader()) leader().queue.FlushUnschedulable(run_.now);
  Wake();
}

// CPU seconds of one watch event: decoding it, and what is done about it.
double Replicas::Handling(std::initializer_list<cost::Unit> work) const {
  const cost::UnitCosts& units = run_.conditions->units;
  double us = units[cost::Unit::kDecodePod].hot_us;
  for (const cost::Unit unit : work) us += units[unit].hot_us;
  return us * 1e-6;
}

void Replicas::HearBound(PodNumber pod) {
  for (const auto& process : processes_) {
    if (process == nullptr) continue;
    process->Heard(PodEvent::kAssignedPodAdd);
    process->events.Handled(InformerEvent::kPodDelete);
  }
  if (!has_leader()) return;
  leader().cpu_seconds += Handling({cost::Unit::kPodSeenBound, cost::Unit::kConfirmPod});
  leader().events.Note(InformerEvent::kAssignedPodAdd);
  const std::uint32_t assigned = world_.pod(pod).pod_template;
  Move(PodEvent::kAssignedPodAdd, {assigned + 1, pod});
  AdmitGated(PodEvent::kAssignedPodAdd);
  Wake();
}

void Replicas::Move(PodEvent event, const EventSubject& subject) {
  SchedulerProcess& process = leader();
  const std::size_t waiting = process.queue.size(QueueName::kUnschedulable);
  process.queue.MoveOnEvent(event, run_.now, subject);
  const std::size_t stayed = process.queue.size(QueueName::kUnschedulable);
  process.cpu_seconds += MoveUs(run_.conditions->units, waiting, stayed) * 1e-6;
}

void Replicas::HearClaim(PodNumber pod) {
  if (has_leader()) {
    leader().events.Note(InformerEvent::kClaimAdd);
    leader().Heard(PodEvent::kClaimAdd);
    Move(PodEvent::kClaimAdd, {pod + 1, pod});
    AdmitGated(PodEvent::kClaimAdd);
  }
  Wake();
}

void Replicas::PodCreated(PodNumber pod) {
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (processes_[i] == nullptr) continue;
    SchedulerProcess& process = *processes_[i];
    process.events.Handled(InformerEvent::kPodAdd);
    if (!Leads(i)) {
      ++process.standby_adds;
      continue;
    }
    Enqueue(pod, run_.now);
    CompleteGroup(pod);
    process.cpu_seconds += Handling({cost::Unit::kPodAdded, cost::Unit::kQueueAdd});
    if (run_.scenario.release.observes_pre_enqueue()) {
      process.ObservePoint(ExtensionPoint::kPreEnqueue, Status::kSuccess,
                           world_.pod(pod).pod_template, 2 * kMicrosecond);
    }
    if (run_.scenario.release.minor >= 36) process.Sign(world_.pod(pod).pod_template);
  }
}

// The last pod of a group lets the others into activeQ.
void Replicas::CompleteGroup(PodNumber pod) {
  const Gang* group = world_.PodGroupOf(pod);
  if (group == nullptr || !group->complete()) return;
  for (const PodNumber member : group->members) leader().queue.Activate(member, run_.now);
}

void Replicas::PodDeleted(PodNumber pod) {
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
  leader().cpu_seconds +=
      assigned ? Handling({cost::Unit::kPodDeletedBound, cost::Unit::kRemovePod})
               : Handling({cost::Unit::kPodDeletedPending, cost::Unit::kQueueDelete});
  const EventSubject subject{p.pod_template + 1, pod};
  if (assigned) {
    leader().events.Note(InformerEvent::kAssignedPodDelete);
    Move(PodEvent::kAssignedPodDelete, subject);
    AdmitGated(PodEvent::kAssignedPodDelete);
  } else if (p.nominated >= 0 && run_.scenario.release.minor >= 32) {
    // Its room on the nominated node is free for pods that had to leave it.
    leader().queue.MoveUpTo(world_.TemplateOf(pod).priority, PodEvent::kAssignedPodDelete, run_.now,
                            subject);
  }
}

void Replicas::PodChanged(PodNumber pod, PodEvent change) {
  if (!has_leader()) return;
  leader().cpu_seconds += Handling({});
  leader().events.Handled(InformerEvent::kPodUpdate);
  leader().queue.Update(pod, world_.TemplateOf(pod).priority, change, run_.now);
}

void Replicas::NodesAdded() {
  if (!has_leader()) return;
  leader().events.Note(InformerEvent::kNodeAdd);
  leader().Heard(PodEvent::kNodeAdd);
  // They are of one shape: what the last one says the others would say as well.
  const auto slots = static_cast<std::uint32_t>(world_.placement().node_slots());
  Move(PodEvent::kNodeAdd, {slots, 0});
  AdmitGated(PodEvent::kNodeAdd);
}

// Before 1.32 the handler tells only the cache.
void Replicas::NodeDeleted(int node) {
  if (!has_leader()) return;
  leader().Heard(PodEvent::kNodeDelete);
  if (run_.scenario.release.minor < 32) return;
  leader().events.Note(InformerEvent::kNodeDelete);
  Move(PodEvent::kNodeDelete, {static_cast<std::uint32_t>(node) + 1, 0});
  AdmitGated(PodEvent::kNodeDelete);
}

// A pod that a PreEnqueue plugin from outside the tree refuses is kept apart.
void Replicas::Enqueue(PodNumber pod, Nanos added) {
  const std::uint32_t shape = world_.pod(pod).pod_template;
  const core::PointAnswer answer =
      world_.placement().RunPlugins(ExtensionPoint::kPreEnqueue, pod, shape, -1);
  if (answer.refused) {
    gated_.push_back(pod);
    return;
  }
  leader().queue.Add(pod, world_.TemplateOf(pod).priority, added);
}

void Replicas::AdmitGated(PodEvent event) {
  for (const PodNumber pod : std::exchange(gated_, {})) {
    if (world_.placement().MayHelp(event, pod, world_.pod(pod).pod_template)) {
      Enqueue(pod, run_.now);
    } else {
      gated_.push_back(pod);
    }
  }
}

void Replicas::Wake() {
  if (!has_leader() || leader().work.busy) return;
  if (!leader().queue.CanPop()) return;
  leader().work.busy = true;
  run_.heap.Push(run_.now, EventKind::kLoop, 0, life_);
}

double HintUs(const cost::UnitCosts& units, Rejection plugin, PodEvent event) {
  const bool node = event == PodEvent::kNodeAdd || event == PodEvent::kNodeDelete;
  const bool pod = event == PodEvent::kAssignedPodAdd || event == PodEvent::kAssignedPodDelete;
  for (const HintUnits& row : kHints) {
    if (row.plugin != plugin) continue;
    const Unit unit = node ? row.node : pod ? row.pod : Unit::kCount;
    return unit == Unit::kCount ? 0 : units[unit].hot_us;
  }
  return 0;
}

double MoveUs(const cost::UnitCosts& units, std::size_t waiting, std::size_t stayed) {
  const auto left = static_cast<double>(std::min(stayed, waiting));
  const double moved = static_cast<double>(waiting) - left;
  return left * units[Unit::kQueueLookedAt].hot_us + moved * units[Unit::kQueueMoved].hot_us;
}

}  // namespace schedlens::sim
