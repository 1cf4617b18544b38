#pragma once

// The binding goroutines: WaitOnPermit, PreBind, the extender's or the API server's bind, and
// FinishBinding.

#include <cstdint>
#include <vector>

#include "scheduler/engine/api_client.h"

namespace schedlens::sim {

class Binder {
 public:
  Binder(RunState& run, World& world, Replicas& replicas, ApiClient& api)
      : run_(run), world_(world), replicas_(replicas), api_(api) {}

  /// Starts a goroutine for an attempt that has passed Permit at `ready`. `sampled`: its plugins
  /// are measured.
  void Start(const AttemptRecord& attempt, Nanos ready, bool sampled, Nanos permit_wait);
  /// The leader died, and its goroutines with it.
  void Drop();
  std::size_t running() const { return jobs_.used(); }
  /// An event of a goroutine; dropped if that one has ended.
  void Handle(EventKind kind, std::uint32_t job, std::uint32_t life);
  /// The dispatcher's call has ended; does nothing if it was not a bind.
  void EndDispatched(const ApiCall& call);

 private:
  struct Job {
    std::uint32_t index = 0;
    std::uint32_t life = 0;  // 0: it has ended
    AttemptRecord attempt;
    std::uint32_t pod_template = 0;
    bool waiting = false;  // on Permit
    bool woken = false;    // it has waited for the processor at this step
    bool by_extender = false;
    bool failed = false;
    bool rejected = false;  // unschedulable rather than error
    bool sampled = false;
    bool requested = false;                // the bind's request has ended, own_bind has begun
    Nanos ready = 0;                       // when the loop was done with it
    Nanos step = 0;                        // when the current step began
    Nanos wait = 0;                        // of PreBind, what a plugin waits for
    Nanos permit_wait = 0;                 // of a plugin from outside the tree
    Nanos own_bind = 0;                    // what such plugins take at Bind
    std::vector<core::OwnTime> plugins{};  // what they take at the current step
  };

  bool Live(std::uint32_t job, std::uint32_t life) const {
    return replicas_.has_leader() && jobs_[job].life == life;
  }
  void Later(const Job& j, Nanos after, EventKind kind) {
    run_.heap.Push(run_.now + after, kind, j.index, j.life);
  }
  void FreeJob(Job& j);
  bool PutOff(Job& j, EventKind kind);
  Nanos ProcessorDelay();
  // The steps, in their order.
  void Run(Job& j);
  void Nominated(Job& j);
  void WaitOnPermit(Job& j);
  void WaitForGang(Job& j, Gang& gang);
  void ReleaseGang(Gang& gang, bool allowed);
  void PermitOver(Job& j);
  void PermitWaited(Job& j, bool allowed);
  void PreBind(Job& j);
  void PreBindDone(Job& j);
  void Bind(Job& j);
  void BindDone(Job& j);
  void Finished(Job& j);
  void Fail(Job& j);
  core::PointAnswer RunPlugins(ExtensionPoint point, Job& j);
  void ObserveStep(const Job& j, ExtensionPoint point, Nanos waited);

  RunState& run_;
  World& world_;
  Replicas& replicas_;
  ApiClient& api_;
  Slots<Job> jobs_;
  std::uint32_t lives_ = 0;
};

}  // namespace schedlens::sim
