#ifndef SCHEDLENS_SIM_ENGINE_BINDER_H_
#define SCHEDLENS_SIM_ENGINE_BINDER_H_

// The binding goroutines: WaitOnPermit, PreBind, the extender's or the API server's bind, and
// FinishBinding.

#include <cstdint>
#include <vector>

#include "sim/engine/api_client.h"
#include "sim/engine/failure_handler.h"
#include "sim/engine/replicas.h"
#include "sim/engine/world.h"

namespace schedlens::sim {

class Binder {
 public:
  Binder(RunState& run, World& world, Replicas& replicas, ApiClient& api, FailureHandler& failures)
      : run_(run), world_(world), replicas_(replicas), api_(api), failures_(failures) {}

  /// Starts a goroutine for an attempt that has passed Permit at `ready`. `sampled`: its plugins
  /// are measured.
  void Start(const AttemptRecord& attempt, Nanos ready, bool sampled, Nanos permit_wait);
  /// The leader died, and its goroutines with it.
  void Drop();
  std::size_t running() const { return jobs_.size() - free_.size(); }
  /// False for an event of a goroutine that has ended.
  bool Live(std::uint32_t job, std::uint32_t life) const;

  // A goroutine's events.
  void Run(std::uint32_t job);
  void Nominated(std::uint32_t job);
  void PermitOver(std::uint32_t job);
  void PreBindDone(std::uint32_t job);
  void BindDone(std::uint32_t job);
  /// The dispatcher has bound the pod; it spent `throttle` in the rate limiter.
  void DispatchedBindDone(std::uint32_t job, Nanos throttle, bool failed);
  void Finished(std::uint32_t job);

 private:
  struct Job {
    AttemptRecord attempt;
    std::uint32_t life = 0;
    bool used = false;
    bool waiting = false;  // on Permit
    bool woken = false;    // it has waited for the processor at this step
    bool by_extender = false;
    bool failed = false;
    bool rejected = false;  // unschedulable rather than error
    bool sampled = false;
    Nanos ready = 0;                       // when the loop was done with it
    Nanos step = 0;                        // when the current step began
    Nanos wait = 0;                        // of PreBind, what a plugin waits for
    Nanos permit_wait = 0;                 // of a plugin from outside the tree
    Nanos own_bind = 0;                    // what such plugins take at Bind
    bool requested = false;                // the bind's request has ended, own_bind has begun
    std::vector<core::OwnTime> plugins{};  // what they take at the current step
  };

  std::uint32_t NewJob();
  void FreeJob(std::uint32_t job);
  bool PutOff(std::uint32_t job, EventKind kind);
  Nanos ProcessorDelay();
  void WaitOnPermit(std::uint32_t job);
  void WaitForGang(std::uint32_t job, Gang& gang);
  void ReleaseGang(Gang& gang, bool allowed);
  void PermitWaited(std::uint32_t job, bool allowed);
  void PreBind(std::uint32_t job);
  void Bind(std::uint32_t job);
  core::PointAnswer RunPlugins(ExtensionPoint point, Job& job);
  void ObserveStep(const Job& job, ExtensionPoint point, Nanos waited);
  void Fail(std::uint32_t job);
  std::uint32_t TemplateOf(const Job& job) const {
    return world_.pods()[job.attempt.pod].pod_template;
  }

  RunState& run_;
  World& world_;
  Replicas& replicas_;
  ApiClient& api_;
  FailureHandler& failures_;
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> free_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_BINDER_H_
