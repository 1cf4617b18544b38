#ifndef SCHEDLENS_SIM_ENGINE_FAILURE_HANDLER_H_
#define SCHEDLENS_SIM_ENGINE_FAILURE_HANDLER_H_

// What follows a failed attempt: the pod is queued again, an event and a status PATCH are sent.

#include "sim/engine/api_client.h"
#include "sim/engine/replicas.h"
#include "sim/engine/world.h"

namespace schedlens::sim {

class FailureHandler {
 public:
  FailureHandler(RunState& run, World& world, Replicas& replicas, ApiClient& api)
      : run_(run), world_(world), replicas_(replicas), api_(api) {}

  /// The handler runs from `from` on; returns when it is done. `rejections` are bits of Rejection.
  Nanos Handle(PodNumber pod, unsigned rejections, bool was_error, Nanos from);

 private:
  RunState& run_;
  World& world_;
  Replicas& replicas_;
  ApiClient& api_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_FAILURE_HANDLER_H_
