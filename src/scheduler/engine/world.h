#pragma once

// What every part of a running simulation shares (the scenario, the clock and the future, random
// streams, what things cost now, counts), and the cluster: pods' lives, nodes, gangs.

#include <queue>

#include "scheduler/engine/placement.h"

namespace schedlens::sim {

// What can happen in a simulation.
enum class EventKind : std::uint8_t {
  kSegment,             // conditions change: subject = segment
  kArrival,             // subject = which start of the arrivals
  kMember,              // a gang's next member: subject = gang
  kAction,              // subject = action
  kProcessBack,         // a process starts: subject = replica
  kTakeOver,            // a standby leads: subject = replica
  kScrape,              // subject = target
  kRecorderFlush,       // every second; subject = 1: the second half
  kBackoffFlush,        // every second
  kUnschedulableFlush,  // every 30 s
  kLoop,                // the loop may take the next pod: life = leader
  kVictims,             // PostFilter wants to delete victims: life = leader
  kVictimGone,          // subject = pod, life = pod's
  kAttemptFailed,       // the failure handler runs: life = leader
  kBindStart,           // the binding goroutine runs: subject = job, life = job's
  kNominated,           // the node is in the pod's status: subject = job, life = job's
  kPermitOver,          // permit timeout: subject = job, life = job's
  kPreBindDone,         // subject = job, life = job's
  kBindDone,            // subject = job, life = job's
  kBindingArrives,      // at the API server: subject = its call
  kFinished,            // subject = job, life = job's
  kApiCallDone,         // dispatcher: subject = call, life = leader
  kEventSent,           // subject = call, life = leader
  kClaimSeen,           // the informer shows a late claim: subject = pod
  kConfirmed,           // the informer shows the pod bound: subject = pod, life = pod's
  kPodEnds,             // end of life or of patience: subject = pod, life = pod's
};

struct HeapEvent {
  Nanos at = 0;
  std::uint64_t order = 0;  ///< among those of one instant
  EventKind kind{};
  std::uint32_t subject = 0;  ///< what it is about: a pod, a node, a replica, an action
  std::uint32_t life = 0;     ///< which life of the subject; a stale event is dropped by its reader
  friend auto operator<=>(const HeapEvent&, const HeapEvent&) = default;
};

/// The future: events by time, those of one instant in the order they were pushed.
class EventHeap {
 public:
  void Push(Nanos at, EventKind kind, std::uint32_t subject = 0, std::uint32_t life = 0) {
    heap_.push({at, next_order_++, kind, subject, life});
  }
  bool empty() const { return heap_.empty(); }
  Nanos next_time() const { return heap_.top().at; }
  HeapEvent Pop() {
    const HeapEvent out = heap_.top();
    heap_.pop();
    return out;
  }

 private:
  std::priority_queue<HeapEvent, std::vector<HeapEvent>, std::greater<>> heap_;
  std::uint64_t next_order_ = 0;
};

/// Things that come and go, by number; a number that is free again is given out anew.
template <typename T>
class Slots {
 public:
  std::uint32_t Take(T value = {}) {
    if (free_.empty()) {
      all_.push_back(std::move(value));
      return static_cast<std::uint32_t>(all_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    all_[index] = std::move(value);
    return index;
  }
  void Free(std::uint32_t index) { free_.push_back(index); }
  T& operator[](std::uint32_t index) { return all_[index]; }
  const T& operator[](std::uint32_t index) const { return all_[index]; }
  /// Every number that was given out, free ones included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  std::size_t used() const { return all_.size() - free_.size(); }

 private:
  std::vector<T> all_;
  std::vector<std::uint32_t> free_;
};

/// One stream a purpose, see Random.
struct RandomStreams {
  std::uint64_t seed;
  Random arrivals{seed, 1}, lives{seed, 2}, loop{seed, 3};
  Random api{seed, 4}, extender{seed, 5}, bind{seed, 6};
};

/// How many pods are in which phase.
struct PodTally {
  std::size_t pending = 0, bound = 0;
  std::size_t confirmed = 0;  ///< bound, and the scheduler's informer has shown it
  std::size_t assumed = 0;    ///< has a node, not confirmed yet
};

/// Collects the story of the pod with that name. The parts of a run tell it what happens.
class PodWatch {
 public:
  explicit PodWatch(std::string pod) { story_.pod = std::move(pod); }

  /// Cheap to ask with a function that makes the name.
  template <typename Name>
  void Created(PodNumber pod, Nanos now, const Name& name) {
    if (story_.number >= 0 || name() != story_.pod) return;
    story_.number = pod;
    story_.created = now;
  }
  bool Is(PodNumber pod) const { return story_.number == static_cast<std::int64_t>(pod); }
  void Begin(std::int32_t number, Nanos now) {
    story_.attempts.push_back({now, number, nullptr, "", std::nullopt});
  }
  /// The algorithm has decided.
  void Decided(core::AttemptDetail detail) {
    const std::size_t before = story_.attempts.size() - 1;
    auto& last = story_.attempts.back().detail;
    if (before > 0) last = story_.attempts[before - 1].detail;
    if (last == nullptr || *last != detail) {
      last = std::make_shared<core::AttemptDetail>(std::move(detail));
    }
  }
  /// The attempt ended without the algorithm.
  void Ended(std::string why) { story_.attempts.back().why = std::move(why); }
  void Preempted(WatchedPreemption what) { story_.attempts.back().preemption = std::move(what); }
  void Moved(Nanos at, QueueName to, PodEvent event, std::int64_t subject) {
    story_.moves.push_back({at, to, event, subject});
  }
  PodStory& story() { return story_; }

 private:
  PodStory story_;
};

struct RunState {
  RunState(const Scenario& the_scenario, const RunOptions& the_options)
      : scenario(the_scenario),
        options(the_options),
        conditions(&scenario.At(0)),
        random{the_options.seed},
        watch(options.watch.empty() ? nullptr : std::make_unique<PodWatch>(options.watch)) {}

  /// How long one step takes now, for a pod of that template. Per-node work is shared by `workers`.
  Nanos Sample(Cost cost, std::uint32_t pod_template, Random& from, int nodes = 0,
               int workers = 1) const {
    const StepCost& step = CostOf(cost, pod_template);
    if (step.IsNothing()) return 0;
    if (step.computed && cost::FixedShare(cost) > 0) {
      return FromSeconds(cost::FixedUs(cost, conditions->units) * 1e-6 * Spread(from));
    }
    double seconds = step.wall.Sample(from);
    if (step.per_node > 0 && nodes > 0) seconds += step.per_node * nodes / Effective(workers);
    if (step.per_pod > 0) seconds += step.per_pod * static_cast<double>(tally.bound);
    return FromSeconds(seconds);
  }
  /// How many of the loop's workers really run at once.
  int Effective(int workers) const { return std::min(workers, machine().cores); }
  cost::Machine machine() const {
    constexpr int kCores = 2;  // where the scenario does not say how many it has
    return {conditions->cores > 0 ? conditions->cores : kCores, scenario.parallelism};
  }
  /// What the scenario says of a step of that template's pods now: the conditions for the template,
  /// the template, or what is said for everybody.
  const StepCost& CostOf(Cost cost, std::uint32_t pod_template) const {
    for (const CostOverrides* own :
         {&conditions->template_costs[pod_template], &scenario.templates[pod_template].costs}) {
      const auto step = std::ranges::find(*own, cost, &CostOverrides::value_type::first);
      if (step != own->end()) return step->second;
    }
    return conditions->costs[cost];
  }
  /// Equal work does not take equally long; 1 on average.
  double Spread(Random& from) const {
    constexpr double kSigma = 0.15;
    static const Distribution spread =
        Distribution::LogNormal(std::exp(-kSigma * kSigma / 2), kSigma);
    return spread.Sample(from);
  }
  void Keep(const AttemptRecord& attempt) {
    if (options.keep_attempts) attempts.push_back(attempt);
  }

  const Scenario scenario;
  const RunOptions options;
  EventHeap heap;
  Nanos now = 0;
  const Conditions* conditions;
  RandomStreams random;
  PodTally tally;
  SimulationCounts counts;
  std::vector<AttemptRecord> attempts;
  HeapEvent handling{};             ///< the event that is being handled
  std::unique_ptr<PodWatch> watch;  ///< null if nobody asked about a pod
  std::vector<BindingRecord> bindings;
};

enum class PodPhase : std::uint8_t { kPending, kInFlight, kBound, kGone };

struct SimulatedPod {
  std::uint32_t pod_template = 0, number = 0;
  PodPhase phase = PodPhase::kPending;
  bool confirmed = false;      // the informer has shown it bound
  bool condition_set = false;  // its status says PodScheduled=False already
  bool deleting = false;       // a victim on its way out
  bool has_to_bind = false;    // PreBind has volumes to write
  bool ungated = false;        // its scheduling gates were taken away
  std::uint8_t failure_events = 0;
  std::int32_t node = -1, nominated = -1, gang = -1, roll_out = -1;
  std::int32_t victim_of = -1;    // who preempts it
  std::int32_t victims_left = 0;  // of its own preemption
  Nanos preempting_until = 0;     // until then only its last victim is not deleted yet
  std::uint32_t life = 0;         // counts what makes its timers stale
  Nanos created = 0, bound_at = 0;
};

/// Pods that are bound together or not at all: they wait on Permit, or are tried in one cycle.
struct Gang {
  std::size_t pod_template = 0;
  int size = 0, bound = 0;
  int binding = 0;                     // released, not bound yet
  int permitted = 0;                   // passed Permit, not bound yet
  std::vector<PodNumber> members;      // those that were created
  std::vector<std::uint32_t> waiting;  // the binder's jobs

  bool complete() const { return static_cast<int>(members.size()) >= size; }
};

class ApiServer;
class Replicas;

class World {
 public:
  /// Empty but for the scenario's nodes.
  explicit World(RunState& run) : run_(run) {}
  /// They hear of what happens from now on.
  void Connect(ApiServer& server, Replicas& schedulers) {
    server_ = &server;
    schedulers_ = &schedulers;
  }
  /// The pods of real objects, then those that run from the start.
  void CreateFirstPods();

  PodNumber CreatePod(std::size_t pod_template, std::int32_t gang, std::int32_t roll_out);
  /// A pod, or a gang: its members come one by one.
  void CreatePods(std::size_t pod_template);
  void StartRollOut(std::size_t pod_template, int count, int surge);
  /// The gang's next member.
  void CreateMember(std::uint32_t gang) {
    CreatePod(gangs_[gang].pod_template, static_cast<std::int32_t>(gang), -1);
  }
  /// The scheduler has taken it from its queue.
  void TakeUp(PodNumber pod) {
    pods_[pod].phase = PodPhase::kInFlight;
    --run_.tally.pending;
  }
  /// In the scheduler's cache it is on that node.
  void Assume(PodNumber pod, int node);
  /// Takes an assumed pod off its node again.
  void Unassume(PodNumber pod) {
    placement_.Remove(pod);
    if (pods_[pod].phase == PodPhase::kInFlight) --run_.tally.assumed;
    pods_[pod].node = -1;
  }
  /// A pod in flight is pending again.
  void PutBack(PodNumber pod) {
    pods_[pod].phase = PodPhase::kPending;
    ++run_.tally.pending;
  }
  /// Its binding is complete; its life begins.
  void Bound(PodNumber pod);
  /// The informer shows it bound. False: it was shown already, or is gone.
  bool Confirm(PodNumber pod, std::uint32_t life);
  /// Starts a victim's end: it is gone `after` and its grace period from now.
  void Evict(PodNumber victim, PodNumber by, Nanos after);
  void Nominate(PodNumber pod, int node) {
    pods_[pod].nominated = node;
    placement_.Nominate(pod, pods_[pod].pod_template, node);
  }
  /// Its timer is up; does nothing in another life of the pod.
  void End(PodNumber pod, std::uint32_t life) {
    if (pods_[pod].life == life) RemovePod(pod);
  }
  void AddNodes(int count);
  void DeleteNodes(int count);
  /// Takes the scheduling gates off `count` pods of a template (none: of any), oldest first.
  void Ungate(const std::optional<std::size_t>& pod_template, int count);
  /// The scheduler died: what it had not finished binding is pending again, nobody waits on Permit.
  void DropInFlight();

  std::vector<SimulatedPod>& pods() { return pods_; }
  const std::vector<SimulatedPod>& pods() const { return pods_; }
  SimulatedPod& pod(PodNumber id) { return pods_[id]; }
  /// Null for a pod of no gang.
  Gang* GangOf(PodNumber pod) {
    const std::int32_t gang = pods_[pod].gang;
    return gang < 0 ? nullptr : &gangs_[static_cast<std::size_t>(gang)];
  }
  /// The same of those that wait on Permit for each other, and of those that are tried together.
  Gang* WaitingGang(PodNumber pod) { return run_.scenario.PodGroups() ? nullptr : GangOf(pod); }
  Gang* PodGroupOf(PodNumber pod) { return run_.scenario.PodGroups() ? GangOf(pod) : nullptr; }
  const PodTemplate& TemplateOf(PodNumber pod) const {
    return run_.scenario.templates[pods_[pod].pod_template];
  }
  Placement& placement() { return placement_; }
  const Placement& placement() const { return placement_; }
  /// Pods that exist and are not bound.
  std::size_t Unbound() const {
    const SimulationCounts& c = run_.counts;
    return pods_.size() - c.pods_deleted_bound - c.pods_deleted_pending - run_.tally.bound;
  }
  /// Names of the first pods: those of real objects.
  std::vector<std::string>& object_names() { return object_names_; }

 private:
  struct RollOut {
    std::size_t pod_template = 0;
    int left = 0;
  };

  void CreateObjectPods();
  void PutBound(PodNumber pod, int node);
  void RemovePod(PodNumber pod);
  void ContinueRollOut(std::int32_t roll_out);

  RunState& run_;
  ApiServer* server_ = nullptr;  // null until Connect, as the next one
  Replicas* schedulers_ = nullptr;
  Placement placement_{run_.scenario, run_.options.seed};
  std::vector<SimulatedPod> pods_;
  std::vector<std::string> object_names_;
  std::vector<std::uint32_t> numbers_ =  // pods made, by template
      std::vector<std::uint32_t>(run_.scenario.templates.size());
  std::vector<Gang> gangs_;
  std::vector<RollOut> roll_outs_;
};

}  // namespace schedlens::sim
