#include "scheduler/engine/simulation.h"

#include <fmt/format.h>

#include <tuple>

#include "base/work_budget.h"
#include "scheduler/engine/scheduling_loop.h"
#include "scheduler/engine/scrape_targets.h"

namespace schedlens::sim {

std::string_view StageName(AttemptStage stage) {
  static constexpr std::string_view kNames[] = {
      "snapshot", "prefilter",      "filter",      "recording",   "ext_filter", "prescore",
      "score",    "ext_prioritize", "select_host", "postfilter",  "assume",     "reserve",
      "permit",   "spawn",          "nominate",    "permit_wait", "prebind",    "ext_bind",
      "bind",     "finish",         "unreserve"};
  return kNames[static_cast<std::size_t>(stage)];
}

// The discrete-event engine: it owns the parts and hands each event to the one it is for.
class Simulation::Engine {
 public:
  Engine(const Scenario& scenario, const RunOptions& options) : run_(scenario, options) {
    world_.CreateFirstPods();
    world_.Connect(server_, replicas_);  // what runs from the start was created long ago
    for (std::uint32_t i = 0; i < replicas_.size(); ++i) replicas_.Start(i);
    targets_.Start();
    replicas_.Lead(0, true);
    for (std::uint32_t i = 0; i < run_.scenario.segments.size(); ++i) {
      run_.heap.Push(run_.scenario.segments[i].start, EventKind::kSegment, i);
    }
    for (std::uint32_t i = 0; i < run_.scenario.actions.size(); ++i) {
      run_.heap.Push(run_.scenario.actions[i].at, EventKind::kAction, i);
    }
    run_.heap.Push(kSecond, EventKind::kRecorderFlush);
    run_.heap.Push(kSecond, EventKind::kBackoffFlush);
    run_.heap.Push(kUnschedulableFlushEvery, EventKind::kUnschedulableFlush);
  }

  // See Simulation.
  void AdvanceTo(Nanos t) {
    while (!targets_.stopped() && !run_.heap.empty() && run_.heap.next_time() <= t) {
      CheckBudget();
      run_.handling = run_.heap.Pop();
      run_.now = run_.handling.at;
      Handle(run_.handling);
    }
    run_.now = std::max(run_.now, t);
  }
  Nanos now() const { return run_.now; }
  std::string MetricsPage(int replica) { return targets_.MetricsPage(replica); }
  FitResult Fit(std::string_view manifest, const std::string& file) {
    FitResult out = world_.placement().Fit(manifest, file);
    out.pending = static_cast<std::int64_t>(run_.tally.pending);
    return out;
  }

  SimulationResult Finish() {
    SimulationResult result;
    result.counts = run_.counts;
    result.counts.pods_created = world_.pods().size();
    for (const SimulatedPod& pod : world_.pods()) {
      result.pods.push_back({pod.pod_template, pod.number});
      if (pod.phase == PodPhase::kGone) continue;
      ++(pod.phase == PodPhase::kBound ? result.counts.pods_running : result.counts.pods_pending);
    }
    for (int node = 0; node < world_.placement().node_slots(); ++node) {
      result.nodes.push_back(world_.placement().NodeName(node));
    }
    result.object_pods = std::move(world_.object_names());
    result.attempts = std::move(run_.attempts);
    if (run_.watch) result.watched = TakeStory();
    result.bindings = std::move(run_.bindings);
    const Scenario& scenario = run_.scenario;
    result.start_time = scenario.start_time;
    result.incident = {scenario.start_time + scenario.incident_start / kMillisecond,
                       scenario.start_time + scenario.incident_end / kMillisecond};
    for (std::uint32_t i = 0; i < replicas_.size(); ++i) {
      if (const SchedulerProcess* process = replicas_.process(i)) {
        result.counts.plugin_samples_dropped += process->dropped_samples();
      }
    }
    targets_.MoveInto(&result.exposition);
    return result;
  }

  // Counts the pods again and compares.
  std::string CheckInvariants() const {
    const bool leads = replicas_.has_leader();
    PodTally counted;
    std::size_t in_flight = 0;
    for (PodNumber pod = 0; pod < world_.pods().size(); ++pod) {
      const SimulatedPod& p = world_.pods()[pod];
      const bool queued = leads && replicas_.leader().queue.Where(pod) != std::nullopt;
      if (leads && queued != (p.phase == PodPhase::kPending)) {
        return fmt::format("pod {} is {}in a queue but its phase is {}", pod, queued ? "" : "not ",
                           static_cast<int>(p.phase));
      }
      counted.pending += p.phase == PodPhase::kPending;
      counted.bound += p.phase == PodPhase::kBound;
      in_flight += p.phase == PodPhase::kInFlight;
      counted.assumed += (p.phase == PodPhase::kInFlight && p.node >= 0) ||
                         (p.phase == PodPhase::kBound && !p.confirmed);
      if (p.phase == PodPhase::kBound && !world_.placement().alive(p.node)) {
        return fmt::format("pod {} is bound to a deleted node", pod);
      }
    }
    const PodTally& tally = run_.tally;
    for (const auto& [what, is, known] : {std::tuple{"pending", counted.pending, tally.pending},
                                          {"bound", counted.bound, tally.bound},
                                          {"assumed", counted.assumed, tally.assumed}}) {
      if (is != known) return fmt::format("{} {} pods, counted {}", is, what, known);
    }
    if (in_flight > binder_.running() + (leads && replicas_.leader().work.busy ? 1 : 0)) {
      return fmt::format("{} pods in flight but {} binding cycles", in_flight, binder_.running());
    }
    return world_.placement().WithinCapacity() ? "" : "a node is over capacity";
  }

 private:
  static constexpr Nanos kUnschedulableFlushEvery = 30 * kSecond;

  void Handle(const HeapEvent& event) {
    using enum EventKind;
    const std::uint32_t subject = event.subject;
    const EventKind kind = event.kind;
    if (kind == kSegment) return StartSegment(subject);
    if (kind == kArrival) return Arrive(subject);
    if (kind == kMember) return world_.CreateMember(subject);
    if (kind == kAction) return Act(run_.scenario.actions[subject]);
    if (kind == kProcessBack) return replicas_.ProcessBack(subject);
    if (kind == kTakeOver) return replicas_.TakeOver(subject);
    if (kind == kScrape) return targets_.Scrape(subject);
    if (kind == kRecorderFlush) return FlushRecorders(subject);
    if (kind == kBackoffFlush) {
      replicas_.FlushBackoff();
      return run_.heap.Push(run_.now + kSecond, kind);
    }
    if (kind == kUnschedulableFlush) {
      replicas_.FlushUnschedulable();
      return run_.heap.Push(run_.now + kUnschedulableFlushEvery, kind);
    }
    if (kind == kLoop || kind == kVictims || kind == kAttemptFailed) {
      if (replicas_.Current(event.life)) loop_.Handle(kind);
      return;
    }
    if (kind == kVictimGone || kind == kPodEnds) return world_.End(subject, event.life);
    if (kind == kBindingArrives) return server_.Arrive(subject);
    if (kind == kApiCallDone) return EndDispatched(subject, event.life);
    if (kind == kEventSent) return api_.EndSent(subject, event.life);
    if (kind == kClaimSeen) return replicas_.HearClaim(subject);
    if (kind != kConfirmed) return binder_.Handle(kind, subject, event.life);
    if (world_.Confirm(subject, event.life)) replicas_.HearBound(subject);
  }

  void StartSegment(std::uint32_t segment) {
    server_.Advance();
    run_.conditions = &run_.scenario.segments[segment].conditions;
    server_.Advance();
    StartArrivals();
  }

  // New pods come as a Poisson process whose rate and mix follow the conditions. Draws the next
  // arrival under those of now; what was drawn before is void.
  void StartArrivals() {
    ++arrival_starts_;
    const Conditions& c = *run_.conditions;
    double pods = 0, weights = 0;
    for (std::size_t i = 0; i < c.weights.size(); ++i) {
      pods += c.weights[i] * std::max(1, run_.scenario.templates[i].gang);
      weights += c.weights[i];
    }
    if (c.rate <= 0 || weights <= 0) return;
    const double per_arrival = pods / weights * c.burst;
    run_.heap.Push(
        run_.now + FromSeconds(run_.random.arrivals.Exponential() * per_arrival / c.rate),
        EventKind::kArrival, arrival_starts_);
  }

  void Arrive(std::uint32_t start) {
    if (start != arrival_starts_) return;
    for (int i = 0; i < run_.conditions->burst; ++i) {
      world_.CreatePods(Pick(run_.conditions->weights, run_.random.arrivals.Uniform()));
    }
    StartArrivals();
  }

  void FlushRecorders(std::uint32_t half) {
    constexpr Nanos kFlushTakes = 3 * kMillisecond;
    replicas_.FlushRecorders(half == 0);
    run_.heap.Push(run_.now + (half == 0 ? kFlushTakes : kSecond - kFlushTakes),
                   EventKind::kRecorderFlush, 1 - half);
  }

  void EndDispatched(std::uint32_t index, std::uint32_t life) {
    if (replicas_.Current(life)) {
      binder_.EndDispatched(api_.EndDispatched(index));
      api_.RunDispatched();
    }
    api_.Free(index);
  }

  void Act(const Action& action) {
    const Nanos end = run_.now + action.length;
    const std::uint32_t leader = replicas_.leader_index();
    using enum ActionKind;
    const ActionKind kind = action.kind;
    if (kind == kDeleteNodes) return world_.DeleteNodes(action.count);
    if (kind == kAddNodes) return world_.AddNodes(action.count);
    if (kind == kUnreachable) return targets_.UnreachableUntil(end);
    if (kind == kRollOut) {
      return world_.StartRollOut(action.pod_template, action.count, action.surge);
    }
    if (kind == kUngate) {
      return world_.Ungate(
          action.any_template ? std::nullopt : std::optional<std::size_t>(action.pod_template),
          action.count);
    }
    if (kind == kBurst) {
      for (int i = 0; i < action.count; ++i) world_.CreatePods(action.pod_template);
      return;
    }
    if ((kind != kRestart && kind != kLeaderChange) || !replicas_.has_leader()) return;
    if (kind == kRestart) {
      run_.heap.Push(end, EventKind::kProcessBack, leader);
      return KillLeader(leader);
    }
    const std::uint32_t next = (leader + 1) % replicas_.size();
    KillLeader(next);
    run_.heap.Push(end, EventKind::kTakeOver, next);
    if (next != leader) run_.heap.Push(run_.now + 5 * kSecond, EventKind::kProcessBack, leader);
  }

  void KillLeader(std::uint32_t next) {
    replicas_.KillLeader(next);
    world_.DropInFlight();
    binder_.Drop();
    loop_.Drop();
  }

  PodStory TakeStory() {
    static constexpr std::string_view kStates[] = {"pending", "in flight", "bound", "deleted"};
    PodStory story = std::move(run_.watch->story());
    if (story.number < 0) return story;
    const auto number = static_cast<PodNumber>(story.number);
    const SimulatedPod& pod = world_.pod(number);
    story.node = pod.node;
    story.state = kStates[static_cast<std::size_t>(pod.phase)];
    if (pod.phase == PodPhase::kPending && replicas_.has_leader()) {
      if (const auto where = replicas_.leader().queue.Where(number)) {
        story.state = kube::ToString(*where);
      }
    }
    return story;
  }

  RunState run_;
  World world_{run_};
  ApiServer server_{run_, world_};
  Replicas replicas_{run_, world_};
  ScrapeTargets targets_{run_, world_, replicas_, server_};
  ApiClient api_{run_, world_, replicas_, server_};
  Binder binder_{run_, world_, replicas_, api_};
  SchedulingLoop loop_{run_, world_, replicas_, api_, binder_};
  std::uint32_t arrival_starts_ = 0;  // how often the arrivals were started
};

Simulation::Simulation(const Scenario& scenario, const RunOptions& options) {
  CheckScenario(scenario, 1e18);
  engine_ = std::make_unique<Engine>(scenario, options);
}
Simulation::~Simulation() = default;
void Simulation::AdvanceTo(Nanos t) { engine_->AdvanceTo(t); }
Nanos Simulation::now() const { return engine_->now(); }
std::string Simulation::MetricsPage(int replica) const { return engine_->MetricsPage(replica); }
FitResult Simulation::Fit(std::string_view manifest, const std::string& file) {
  return engine_->Fit(manifest, file);
}
SimulationResult Simulation::Finish() { return engine_->Finish(); }
std::string Simulation::CheckInvariants() const { return engine_->CheckInvariants(); }

SimulationResult RunScenario(const Scenario& scenario, const RunOptions& options) {
  Simulation simulation(scenario, options);
  simulation.AdvanceTo(scenario.duration);
  return simulation.Finish();
}

}  // namespace schedlens::sim
