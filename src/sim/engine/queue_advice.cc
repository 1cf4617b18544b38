#include "sim/engine/queue_advice.h"

#include <bit>

namespace schedlens::sim {

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
  const queue::HintPod pod{&placement.SpecOf(waiting), 0, false, false, {}};
  queue::HintChange change;
  queue::HintPod other;
  if (event == PodEvent::kNodeAdd) {
    change.new_node = &placement.cluster().node(static_cast<core::NodeId>(index)).node;
  } else if (event == PodEvent::kAssignedPodAdd || event == PodEvent::kAssignedPodDelete) {
    other = {&placement.SpecOf(index), 1, true, false, {}};
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
  const bool gated = world_.placement().SpecOf(p.pod_template).scheduling_gates > 0;
  return gated ? kRejectedByGates : kRejectedByNobody;
}

}  // namespace schedlens::sim
