#pragma once

// The leader's requests to the API server: rate limiter, latencies, and from 1.34 the dispatcher of
// asynchronous calls.

#include <cstdint>
#include <initializer_list>

#include "scheduler/engine/api_server.h"
#include "scheduler/engine/replicas.h"
#include "scheduler/engine/world.h"

namespace schedlens::sim {

/// A request that ends with an event of its own.
struct ApiCall {
  Request request = Request::kEventPost;
  bool failed = false;
  std::uint32_t pod_template = 0;
  std::uint32_t job = 0;  ///< of a bind: the binder's job, its life, and the pod
  std::uint32_t job_life = 0;
  PodNumber pod = 0;
  Nanos sent = 0;  ///< by the dispatcher
  Nanos wait = 0;  ///< in the rate limiter
  Nanos total = 0;
};

class ApiClient {
 public:
  ApiClient(RunState& run, World& world, Replicas& replicas, ApiServer& server);

  /// Adds the CPU time of writing requests to the process's.
  void Charge(std::initializer_list<cost::Unit> work);
  /// A bind that starts now: blocking, kBindDone follows, or by the dispatcher, kApiCallDone
  /// follows. Returns a blocking one's wait in the rate limiter.
  Nanos Bind(std::uint32_t job, std::uint32_t job_life, PodNumber pod, bool failed);
  /// A bind has ended, `total` after its start; `failed` if that is known already. Counts a
  /// blocking one; a dispatched one is counted by EndDispatched. False if it failed.
  bool EndBind(std::uint32_t job, std::uint32_t job_life, bool failed, Nanos wait, Nanos total);
  /// Patches a pod's status, beginning at `at`. Returns how long the caller waits for it.
  Nanos PatchStatus(std::uint32_t pod_template, Nanos at);
  /// "Scheduled", or "FailedScheduling": a new event first, then two updates of the series.
  void SendEvent(PodNumber pod, bool scheduled);
  /// Updates a claim. Returns how long that takes.
  Nanos UpdateClaim(std::uint32_t pod_template) {
    ++run_.counts.api_requests;
    return Send(Request::kClaimUpdate, pod_template, replicas_.leader().client, run_.now);
  }
  /// Deletes a victim, with or without a patch of its status before. Returns how long that takes.
  Nanos DeleteVictim(std::uint32_t pod_template, bool patch);
  /// What follows a failed attempt, from `from` on: the pod is queued again, an event and a status
  /// PATCH are sent. Returns when the handler is done. `rejections` are bits of Rejection.
  Nanos HandleFailure(PodNumber pod, unsigned rejections, bool was_error, Nanos from);

  /// The dispatched call has ended: counts it. Its number is in use until Free.
  ApiCall EndDispatched(std::uint32_t call);
  /// Sends what the dispatcher has room for.
  void RunDispatched();
  void Free(std::uint32_t call) { calls_.Free(call); }
  /// A request that nobody waited for has ended: counts it if that leader still leads.
  void EndSent(std::uint32_t call, std::uint32_t life);

 private:
  void Dispatch(const ApiCall& call);
  Nanos Send(Request request, std::uint32_t pod_template, TokenBucket& limiter, Nanos at);
  Nanos RequestTime(Request request, std::uint32_t pod_template, Random& from, Nanos at);

  RunState& run_;
  World& world_;
  Replicas& replicas_;
  ApiServer& server_;
  const bool async_;  // binds and status patches go through the dispatcher
  Slots<ApiCall> calls_;
};

}  // namespace schedlens::sim
