#include "sim/engine/failure_handler.h"

namespace schedlens::sim {

Nanos FailureHandler::Handle(PodNumber pod, unsigned rejections, bool was_error, Nanos from) {
  SimulatedPod& p = world_.pod(pod);
  Nanos done = from + run_.Sample(Cost::kFailure, p.pod_template, run_.random.loop);
  EventMetrics& events = replicas_.leader().events;
  events.Done(pod);
  if (p.phase != PodPhase::kInFlight) return done;  // deleted meanwhile
  world_.PutBack(pod);
  if (!world_.TemplateOf(pod).once) {
    replicas_.leader().queue.AddFailed(pod, rejections, was_error, run_.now);
  }
  api_.SendEvent(pod, false);
  if (!p.condition_set) {
    p.condition_set = true;
    done += api_.PatchStatus(p.pod_template, done);
    events.Note(InformerEvent::kPodUpdate);
    events.Handled(InformerEvent::kPodUpdate);
  }
  return done;
}

}  // namespace schedlens::sim
