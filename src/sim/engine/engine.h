#ifndef SCHEDLENS_SIM_ENGINE_ENGINE_H_
#define SCHEDLENS_SIM_ENGINE_ENGINE_H_

// The discrete-event engine behind Simulation: the world (pods, nodes, API server), the scheduling
// loop, the binding goroutines. Split by topic over engine.cc, scheduling_cycle.cc,
// binding_cycle.cc and world.cc.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/engine/event_heap.h"
#include "sim/engine/placement.h"
#include "sim/engine/scheduler_process.h"
#include "sim/engine/simulation.h"
#include "sim/metrics/scraper.h"

namespace schedlens::sim {

enum class EventKind : std::uint8_t {
  kSegment,             // conditions change: subject = segment
  kArrival,             // life = arrival process
  kMember,              // a gang's next member: subject = gang
  kAction,              // subject = action
  kProcessBack,         // a process starts: subject = replica
  kTakeOver,            // a standby leads: subject = replica
  kScrape,              // subject = replica
  kRecorderFlush,       // every second
  kBackoffFlush,        // every second
  kUnschedulableFlush,  // every 30 s
  kLoop,                // the loop may take the next pod: life = process
  kVictims,             // PostFilter wants to delete victims: life = process
  kVictimGone,          // subject = pod
  kAttemptFailed,       // the failure handler runs: life = process
  kBindStart,           // the binding goroutine runs: subject = job, life = job's life
  kPermitOver,          // permit timeout: subject = job
  kPreBindDone,
  kBindDone,
  kFinished,
  kApiCallDone,  // dispatcher: subject = call
  kEventSent,    // subject = call
  kClaimSeen,    // the informer shows a late claim
  kConfirmed,    // the informer shows the pod bound: subject = pod
  kPodEnds,      // end of life or of patience: subject = pod, life = pod's
};

class Simulation::Engine {
 public:
  Engine(const Scenario& scenario, const RunOptions& options);

  void AdvanceTo(Nanos t);
  Nanos now() const { return now_; }
  std::string MetricsPage(int replica);
  SimulationResult Finish();
  std::string CheckInvariants() const;
  bool stopped() const { return stopped_; }

 private:
  using HeapEvent = Event<EventKind>;

  enum class PodPhase : std::uint8_t { kPending, kInFlight, kBound, kGone };
  struct Pod {
    std::uint32_t pod_template = 0;
    std::uint32_t number = 0;
    PodPhase phase = PodPhase::kPending;
    bool confirmed = false;      // the informer has shown it bound
    bool condition_set = false;  // its status says PodScheduled=False already
    bool deleting = false;       // a victim on its way out
    std::uint8_t failure_events = 0;
    std::int32_t node = -1;
    std::int32_t nominated = -1;
    std::int32_t gang = -1;
    std::int32_t roll_out = -1;
    std::int32_t victim_of = -1;    // who preempts it
    std::int32_t victims_left = 0;  // of its own preemption
    std::uint32_t life = 0;         // counts what makes its timers stale
    Nanos created = 0;
  };
  /// A binding cycle under way.
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
    Nanos ready = 0;  // when the loop was done with it
    Nanos step = 0;   // when the current step began
    Nanos wait = 0;
  };
  struct Gang {
    std::size_t pod_template = 0;
    int size = 0;
    int bound = 0;
    int binding = 0;                     // released, not bound yet
    int permitted = 0;                   // passed Permit, not bound yet
    std::vector<std::uint32_t> waiting;  // jobs
  };
  struct RollOut {
    std::size_t pod_template = 0;
    int left = 0;
  };
  enum class CallKind : std::uint8_t { kEvent, kBind, kPatch };
  /// An API request not made by the loop or a plain binding goroutine.
  struct ApiCall {
    CallKind kind = CallKind::kEvent;
    Request request = Request::kEventPost;
    std::uint32_t job = 0;
    std::uint32_t job_life = 0;
    Nanos wait = 0;
    Nanos total = 0;
  };
  /// CPU work of the current attempt on the loop, for goroutines that want the processor.
  struct CpuSegment {
    Nanos start = 0;
    Nanos end = 0;
    int workers = 1;
  };
  struct Replica {
    std::unique_ptr<SchedulerProcess> process;  // null while it is down
    std::unique_ptr<Scraper> scraper;
    Random jitter{0};
    std::uint64_t scrapes = 0;
    Nanos offset = 0;
  };

  // engine.cc
  void Handle(const HeapEvent& event);
  void PushAction(std::uint32_t index);
  void StartProcess(std::uint32_t replica);
  void BecomeLeader(std::uint32_t replica, bool fresh);
  void KillLeader();
  std::size_t Unbound() const;  // pods that exist and are not bound
  void Scrape(std::uint32_t replica);
  void RefreshGauges(Replica& replica, bool leads);
  void AddSummary(SimulationResult* result) const;
  SchedulerProcess& leader() { return *replicas_[leader_].process; }
  bool has_leader() const { return leading_ && replicas_[leader_].process != nullptr; }

  // world.cc
  void StartArrivals();
  void Arrive();
  void CreatePods(std::size_t pod_template, std::int32_t roll_out);
  PodId CreatePod(std::size_t pod_template, std::int32_t gang, std::int32_t roll_out);
  void PutBound(PodId pod, int node);
  void CreateObjectPods();
  void PodBound(PodId pod);
  void PodEnds(const HeapEvent& event);
  void RemovePod(PodId pod);
  void Act(const Action& action);
  void ContinueRollOut(std::int32_t roll_out);
  void DeleteNodes(int count);
  std::size_t PickTemplate();

  // scheduling_cycle.cc
  void WakeLoop();
  void StartCycle();
  Nanos Spend(Cost cost, int nodes, int workers);
  Nanos Wait(Cost cost);
  void Observe(Point point, Status status, Nanos duration, int nodes, int workers,
               std::string_view rejecting = {}, Nanos waited = 0,
               std::span<const PluginRejections> rejected = {});
  bool FilterNodes(const PlacementDecision& decision);
  bool AskExtenders(Cost cost, Stage stage);
  bool ScoreNodes();
  void Place(const PlacementDecision& decision);
  enum class PostFilter : std::uint8_t { kNone, kHopeless, kPreempts };
  void FailCycle(AttemptResult result, unsigned rejections, PostFilter post_filter);
  void DeleteVictims();
  void AttemptFailed();
  void FailureTail(PodId pod, unsigned rejections, bool was_error, bool on_loop);
  const StepCost& CostOf(Cost cost, std::uint32_t pod_template) const;
  Nanos SampleCost(Cost cost, std::uint32_t pod_template, Random& random, int nodes,
                   int workers) const;
  Nanos ProcessorDelay();

  // binding_cycle.cc
  std::uint32_t NewJob();
  void FreeJob(std::uint32_t job);
  bool Live(const HeapEvent& event) const;
  bool PutOff(std::uint32_t job, EventKind kind);
  void BindStart(std::uint32_t job);
  void WaitOnPermit(std::uint32_t job);
  void ReleaseGang(Gang& gang, bool allowed);
  void PermitWaited(std::uint32_t job, bool allowed);
  void PermitDone(std::uint32_t job, bool allowed);
  void PreBindDone(std::uint32_t job);
  void SendBind(std::uint32_t job);
  void BindDone(std::uint32_t job);
  void Finished(std::uint32_t job);
  void BindingFailed(std::uint32_t job);
  void EndAttempt(const AttemptRecord& attempt);
  const Extender* BinderFor(PodId pod) const;
  void SendEvent(PodId pod, bool scheduled);
  std::uint32_t NewCall(const ApiCall& call);
  void Dispatch(std::uint32_t call);
  void RunDispatched();
  void ApiCallDone(std::uint32_t call);

  const Scenario scenario_;
  RunOptions options_;
  EventHeap<EventKind> heap_;
  std::uint64_t first_action_ = 0;  ///< place of the first action among events of one instant
  Nanos now_ = 0;
  bool stopped_ = false;
  bool async_api_ = false;
  const Conditions* conditions_ = nullptr;

  // One stream a purpose, see Random.
  Random arrivals_;
  Random lives_;
  Random loop_random_;
  Random api_random_;
  Random extender_random_;
  Random bind_random_;

  Placement placement_;
  std::vector<Pod> pods_;
  std::vector<std::string> object_names_;  // of the first pods: those of real objects
  std::vector<std::uint32_t> numbers_;     // per template
  std::vector<Gang> gangs_;
  std::vector<RollOut> roll_outs_;
  std::size_t pending_ = 0;
  std::size_t bound_ = 0;
  std::size_t confirmed_ = 0;  // bound, and the scheduler's informer has shown it
  std::size_t assumed_ = 0;    // has a node, not confirmed yet
  std::uint32_t arrival_life_ = 0;

  std::vector<Replica> replicas_;
  std::uint32_t leader_ = 0;
  bool leading_ = false;
  std::uint32_t process_life_ = 0;  // counts leaders; makes a dead one's events stale

  // The loop.
  bool busy_ = false;
  AttemptRecord cycle_;
  AttemptResult cycle_result_ = AttemptResult::kRunning;
  unsigned cycle_rejections_ = 0;
  bool cycle_sampled_ = false;
  bool cycle_assumed_ = false;
  double cycle_noise_ = 1;
  Nanos cycle_time_ = 0;  // how far the current attempt has got
  std::vector<PodId> victims_;
  std::size_t next_victim_ = 0;
  Nanos post_filter_start_ = 0;
  std::vector<CpuSegment> cpu_;

  std::vector<Job> jobs_;
  std::vector<std::uint32_t> free_jobs_;
  std::vector<ApiCall> calls_;
  std::vector<std::uint32_t> free_calls_;

  std::vector<AttemptRecord> attempts_;
  SimulationCounts counts_;
  Nanos unreachable_until_ = 0;
  double last_progress_ = 0;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_ENGINE_H_
