// Reserve and Permit: what a pod that has a node still has to pass on the loop.

#include "sim/engine/scheduling_loop.h"

namespace schedlens::sim {

// False: a plugin failed.
bool SchedulingLoop::Reserve() {
  Nanos& stage = cycle_.record[AttemptStage::kReserve];
  const Nanos waited = Wait(Cost::kReserveWait);
  stage = SpendFixed(Cost::kReserve, cost::FixedStep::kReserve) + waited;
  stage += RunPlugins(ExtensionPoint::kReserve);
  const bool refused = run_.random.loop.Chance(run_.conditions->costs.reserve_error);
  Observe({.point = ExtensionPoint::kReserve,
           .status = refused          ? Status::kError
                     : cycle_.refused ? Status::kUnschedulable
                                      : Status::kSuccess,
           .duration = stage,
           .waited = waited});
  return !refused && !cycle_.refused;
}

// What Permit says of a pod whose gang waits there: wait, but for the last one.
Status SchedulingLoop::GangAnswer() {
  Gang* gang = world_.WaitingGang(cycle_.record.pod);
  if (gang == nullptr) return Status::kSuccess;
  return ++gang->permitted + gang->bound < gang->size ? Status::kWait : Status::kSuccess;
}

void SchedulingLoop::Permit(std::optional<Status> answer) {
  AttemptRecord& record = cycle_.record;
  record[AttemptStage::kPermit] = SpendFixed(Cost::kPermit, cost::FixedStep::kPermit);
  record[AttemptStage::kPermit] += RunPlugins(ExtensionPoint::kPermit);
  if (cycle_.refused) {
    Observe({.point = ExtensionPoint::kPermit,
             .status = Status::kUnschedulable,
             .duration = record[AttemptStage::kPermit]});
    return;
  }
  if (!answer) answer = GangAnswer();
  Observe({.point = ExtensionPoint::kPermit,
           .status = cycle_.permit_wait > 0 ? Status::kWait : *answer,
           .duration = record[AttemptStage::kPermit]});
}

// Reserve or Permit said no: a plugin's answer, or an error.
void SchedulingLoop::FailReserved() {
  if (cycle_.refused) {
    Fail(AttemptResult::kUnschedulable, kRejectedByOther, PostFilter::kNone);
  } else {
    Fail(AttemptResult::kError, 0, PostFilter::kNone);
  }
}

}  // namespace schedlens::sim
