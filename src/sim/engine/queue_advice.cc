#include "sim/engine/queue_advice.h"

#include <algorithm>
#include <bit>

namespace schedlens::sim {

namespace {

std::vector<core::Id> ClaimsOf(const core::PodSpec& spec) {
  std::vector<core::Id> out;
  for (const core::PodVolume& volume : spec.volumes) {
    if (volume.kind == core::PodVolume::Kind::kClaim) out.push_back(volume.claim_name);
  }
  return out;
}

// Two pods with disks in them may want the same one; whether they do is not looked at.
bool HasDisks(const core::PodSpec& spec) {
  using Kind = core::PodVolume::Kind;
  return std::any_of(spec.volumes.begin(), spec.volumes.end(), [](const auto& volume) {
    return volume.kind != Kind::kClaim && volume.kind != Kind::kEphemeral;
  });
}

}  // namespace

QueueAdvice::QueueAdvice(const RunState& run, World& world)
    : run_(run),
      world_(world),
      hints_(queue::HintRulesOf(run.scenario.release.minor, run.scenario.release.minor >= 33),
             world.placement().cluster()) {}

QueueAdvice::Answer& QueueAdvice::Known(PodNumber waiting, std::size_t plugin, PodEvent event,
                                        std::uint32_t subject) {
  if (event != event_ || subject != subject_) {
    event_ = event;
    subject_ = subject;
    answers_.clear();
  }
  const std::uint32_t shape = world_.pod(waiting).pod_template;
  if (shape >= answers_.size()) answers_.resize(shape + std::size_t{1});
  return answers_[shape][plugin];
}

bool QueueAdvice::Helps(PodNumber waiting, Rejection plugin, PodEvent event,
                        std::uint32_t subject) {
  if (subject == EventSubject::kNone) return true;
  // What a preempting pod waits for is the end of its last victim.
  if (plugin == kRejectedByPreemption) return world_.pod(waiting).victims_left == 0;
  if (plugin == kRejectedByOther && !MayHelp(waiting, event)) return false;
  // Of these only the pod itself is asked.
  if (event == PodEvent::kGatesEliminated) return true;
  if (event == PodEvent::kClaimAdd && plugin != kRejectedByOther) return subject == waiting + 1;
  const auto bit = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(plugin)));
  Answer& answer = Known(waiting, bit, event, subject);
  if (answer == Answer::kUnknown) {
    const bool helps = Ask(world_.pod(waiting).pod_template, plugin, event, subject);
    answer = helps ? Answer::kYes : Answer::kNo;
  }
  return answer == Answer::kYes;
}

// A plugin whose hint is not known here says Queue, as one without a hint does.
bool QueueAdvice::Ask(std::uint32_t waiting, Rejection plugin, PodEvent event,
                      std::uint32_t subject) const {
  const Placement& placement = world_.placement();
  const std::uint32_t index = subject - 1;
  const core::PodSpec& spec = placement.SpecOf(waiting);
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

bool QueueAdvice::Admits(PodNumber waiting, std::uint32_t node) {
  Answer& answer = Known(waiting, kAdmission, PodEvent::kNodeAdd, node + 1);
  if (answer == Answer::kUnknown) {
    const Placement& placement = world_.placement();
    const bool admits =
        hints_.Admits(placement.SpecOf(world_.pod(waiting).pod_template),
                      placement.cluster().node(static_cast<core::NodeId>(node)).node);
    answer = admits ? Answer::kYes : Answer::kNo;
  }
  return answer == Answer::kYes;
}

// Pods that a plugin from outside the tree refused hear of every pod it expects something of.
bool QueueAdvice::Attracted(PodNumber waiting, std::uint32_t pod_template) {
  const Placement& placement = world_.placement();
  return placement.Attracts(pod_template, world_.pod(waiting).pod_template) ||
         (placement.OwnRefused(waiting) && MayHelp(waiting, PodEvent::kAssignedPodAdd));
}

bool QueueAdvice::MayHelp(PodNumber waiting, PodEvent event) {
  return world_.placement().MayHelp(event, waiting, world_.pod(waiting).pod_template);
}

Rejection QueueAdvice::GatedBy(PodNumber pod) {
  const SimulatedPod& p = world_.pod(pod);
  if (p.preempting_until > run_.now) return kRejectedByPreemption;
  if (const Gang* group = world_.PodGroupOf(pod); group && !group->complete()) {
    return kRejectedByGang;
  }
  const core::PodSpec& spec = world_.placement().SpecOf(p.pod_template);
  return spec.scheduling_gates > 0 && !p.ungated ? kRejectedByGates : kRejectedByNobody;
}

}  // namespace schedlens::sim
