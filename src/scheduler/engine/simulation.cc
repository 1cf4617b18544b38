#include "scheduler/engine/simulation.h"

#include "base/work_budget.h"
#include "scheduler/engine/scheduling_loop.h"
#include "scheduler/engine/scrape_targets.h"

namespace schedlens::sim {

std::string_view StageName(AttemptStage stage) {
  static constexpr std::string_view kNames[] = {
#include "scheduler/engine/stage_names.inc"
  };
  return kNames[static_cast<std::size_t>(stage)];
}

void World::CreateFirstPods() {
  CreateObjectPods();
  for (int i = 0; i < run_.scenario.running; ++i) {
    PutBound(CreatePod(0, -1, -1), i % placement_.node_slots());
  }
}

// The pods of a real cluster: bound ones where they are, pending ones before any other arrives.
void World::CreateObjectPods() {
  if (!run_.scenario.objects) return;
  const core::Cluster& objects = *run_.scenario.objects;
  for (core::PodId id = 0; id < objects.pod_limit(); ++id) {
    const core::Pod& object = objects.pod(id);
    if (!object.alive) continue;
    const std::size_t shape =
        run_.scenario.first_object_template + static_cast<std::size_t>(object.spec);
    // Another scheduler's pods count where they run, and wait for that one where they do not.
    const core::Id scheduler = objects.SpecOf(id).scheduler_name;
    if (object.node == core::kNone &&
        objects.strings().Text(scheduler) != run_.scenario.templates[shape].profile) {
      continue;
    }
    const PodNumber pod = CreatePod(shape, -1, -1);
    object_names_.push_back(fmt::format(
        "{}/{}", objects.strings().Text(objects.SpecOf(id).namespace_name), object.name));
    if (run_.watch) run_.watch->Created(pod, run_.now, [&] { return object_names_.back(); });
    if (object.node != core::kNone) {
      PutBound(pod, object.node);
      placement_.Started(pod, object.start_ms);
      if (object.terminating) {
        placement_.Terminating(pod);
        pods_[pod].deleting = true;
        const Nanos grace =
            FromSeconds(run_.scenario.templates[shape].grace.Sample(run_.random.lives));
        run_.heap.Push(grace, EventKind::kVictimGone, pod, pods_[pod].life);
      }
    } else if (object.nominated != core::kNone) {
      Nominate(pod, object.nominated);
    }
  }
}

PodNumber World::CreatePod(std::size_t pod_template, std::int32_t gang, std::int32_t roll_out) {
  const auto pod = static_cast<PodNumber>(pods_.size());
  const PodTemplate& shape = run_.scenario.templates[pod_template];
  pods_.emplace_back();
  SimulatedPod& p = pods_.back();
  p.pod_template = static_cast<std::uint32_t>(pod_template);
  p.number = ++numbers_[pod_template];
  p.gang = gang;
  p.roll_out = roll_out;
  p.created = run_.now;
  p.condition_set = shape.condition_set;
  ++run_.tally.pending;
  if (gang >= 0) gangs_[static_cast<std::size_t>(gang)].members.push_back(pod);
  if (run_.watch && shape.object_spec == core::kNone) {
    run_.watch->Created(pod, run_.now, [&] { return TemplatePodName(shape, p.number); });
  }
  if (!shape.pending_life.IsZero()) {
    run_.heap.Push(run_.now + FromSeconds(shape.pending_life.Sample(run_.random.lives)),
                   EventKind::kPodEnds, pod, p.life);
  }
  if (schedulers_ == nullptr) return pod;
  server_->PodCreated(pod);
  schedulers_->PodCreated(pod);
  schedulers_->Wake();
  return pod;
}

void World::CreatePods(std::size_t pod_template) {
  const int size = run_.scenario.templates[pod_template].gang;
  if (size <= 0) {
    CreatePod(pod_template, -1, -1);
    return;
  }
  const auto gang = static_cast<std::uint32_t>(gangs_.size());
  gangs_.emplace_back();
  gangs_.back().size = size;
  gangs_.back().pod_template = pod_template;
  for (int i = 0; i < size; ++i) {
    const Nanos later = run_.Sample(Cost::kGangSpread, static_cast<std::uint32_t>(pod_template),
                                    run_.random.arrivals);
    run_.heap.Push(run_.now + later, EventKind::kMember, gang);
  }
}

void World::StartRollOut(std::size_t pod_template, int count, int surge) {
  const auto index = static_cast<std::int32_t>(roll_outs_.size());
  const int first = std::min(surge, count);
  roll_outs_.push_back({pod_template, count - first});
  for (int i = 0; i < first; ++i) CreatePod(pod_template, -1, index);
}

void World::ContinueRollOut(std::int32_t roll_out) {
  RollOut& deployment = roll_outs_[static_cast<std::size_t>(roll_out)];
  if (deployment.left <= 0) return;
  --deployment.left;
  CreatePod(deployment.pod_template, -1, roll_out);
}

// A pod that runs from the start.
void World::PutBound(PodNumber pod, int node) {
  SimulatedPod& p = pods_[pod];
  placement_.Assume(pod, p.pod_template, node);
  p.node = node;
  p.phase = PodPhase::kBound;
  p.confirmed = true;
  ++p.life;
  --run_.tally.pending;
  ++run_.tally.bound;
  ++run_.tally.confirmed;
  ++run_.counts.pods_bound;
  if (run_.watch && run_.watch->Is(pod)) run_.watch->story().ran_from_start = true;
}

void World::Assume(PodNumber pod, int node) {
  pods_[pod].has_to_bind = placement_.Assume(pod, pods_[pod].pod_template, node);
  pods_[pod].node = node;
  ++run_.tally.assumed;
}

void World::Bound(PodNumber pod) {
  SimulatedPod& p = pods_[pod];
  p.phase = PodPhase::kBound;
  p.bound_at = run_.now;
  p.nominated = -1;
  ++p.life;
  ++run_.tally.bound;
  ++run_.counts.pods_bound;
  placement_.Started(pod, run_.scenario.start_time + run_.now / kMillisecond);
  const PodTemplate& shape = TemplateOf(pod);
  if (!shape.life.IsZero()) {
    run_.heap.Push(run_.now + FromSeconds(shape.life.Sample(run_.random.lives)),
                   EventKind::kPodEnds, pod, p.life);
  }
  const Nanos lag = run_.Sample(Cost::kInformer, p.pod_template, run_.random.api);
  run_.heap.Push(run_.now + lag, EventKind::kConfirmed, pod, p.life);
  if (Gang* gang = GangOf(pod)) ++gang->bound;
  if (p.roll_out >= 0) ContinueRollOut(p.roll_out);
}

bool World::Confirm(PodNumber pod, std::uint32_t life) {
  SimulatedPod& p = pods_[pod];
  if (p.life != life || p.confirmed) return false;
  p.confirmed = true;
  placement_.Confirmed(pod);
  --run_.tally.assumed;
  ++run_.tally.confirmed;
  return true;
}

void World::Evict(PodNumber victim, PodNumber by, Nanos after) {
  SimulatedPod& gone = pods_[victim];
  if (gone.phase == PodPhase::kGone || gone.deleting) return;
  gone.deleting = true;
  placement_.Terminating(victim);
  gone.victim_of = static_cast<std::int32_t>(by);
  ++pods_[by].victims_left;
  const Nanos grace = FromSeconds(TemplateOf(victim).grace.Sample(run_.random.lives));
  run_.heap.Push(run_.now + after + grace, EventKind::kVictimGone, victim, gone.life);
}

// Deletes a pod in whatever phase it is.
void World::RemovePod(PodNumber pod) {
  SimulatedPod& p = pods_[pod];
  if (p.phase == PodPhase::kGone) return;
  const bool was_bound = p.phase == PodPhase::kBound;
  if (was_bound) {
    --run_.tally.bound;
    ++run_.counts.pods_deleted_bound;
    --(p.confirmed ? run_.tally.confirmed : run_.tally.assumed);
  } else {
    ++run_.counts.pods_deleted_pending;
    if (p.phase == PodPhase::kPending) --run_.tally.pending;
    if (p.phase == PodPhase::kInFlight && p.node >= 0) --run_.tally.assumed;
  }
  if (p.victim_of >= 0) --pods_[static_cast<std::size_t>(p.victim_of)].victims_left;
  placement_.Remove(pod);
  p.phase = PodPhase::kGone;
  ++p.life;
  const std::int32_t roll_out = p.roll_out;
  server_->PodDeleted(pod);
  schedulers_->PodDeleted(pod);
  if (roll_out >= 0 && !was_bound) ContinueRollOut(roll_out);
  schedulers_->Wake();
}

void World::AddNodes(int count) {
  for (int i = 0; i < count; ++i) placement_.AddNode(0);
  schedulers_->NodesAdded();
  schedulers_->Wake();
}

void World::DeleteNodes(int count) {
  std::vector<int> alive;
  for (int node = 0; node < placement_.node_slots(); ++node) {
    if (placement_.alive(node)) alive.push_back(node);
  }
  for (int i = 0; i < count && alive.size() > 1; ++i) {
    const std::size_t pick = run_.random.lives.Below(static_cast<std::uint32_t>(alive.size()));
    const int node = alive[pick];
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(pick));
    schedulers_->NodeDeleted(node);
    for (PodNumber pod : placement_.DeleteNode(node)) RemovePod(pod);
  }
}

void World::Ungate(const std::optional<std::size_t>& pod_template, int count) {
  for (PodNumber pod = 0; pod < pods_.size() && count > 0; ++pod) {
    SimulatedPod& p = pods_[pod];
    if (p.phase != PodPhase::kPending || p.ungated) continue;
    if (pod_template && p.pod_template != *pod_template) continue;
    if (placement_.SpecOf(p.pod_template).scheduling_gates == 0) continue;
    p.ungated = true;
    --count;
    schedulers_->PodUngated(pod);
  }
  schedulers_->Wake();
}

void World::DropInFlight() {
  for (PodNumber pod = 0; pod < pods_.size(); ++pod) {
    SimulatedPod& p = pods_[pod];
    if (p.phase != PodPhase::kInFlight) continue;
    placement_.Remove(pod);
    if (p.node >= 0) --run_.tally.assumed;
    p.node = -1;
    p.nominated = -1;
    PutBack(pod);
  }
  for (Gang& gang : gangs_) gang.waiting.clear();
}

namespace {

// The discrete-event engine: it owns the parts and hands each event to the one it is for.
class Engine : public Simulation {
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

  void AdvanceTo(Nanos t) override {
    while (!targets_.stopped() && !run_.heap.empty() && run_.heap.next_time() <= t) {
      CheckBudget();
      run_.handling = run_.heap.Pop();
      run_.now = run_.handling.at;
      Handle(run_.handling);
    }
    run_.now = std::max(run_.now, t);
  }
  Nanos now() const override { return run_.now; }
  std::string MetricsPage(int replica) override { return targets_.MetricsPage(replica); }
  FitResult Fit(std::string_view manifest, const std::string& file) override {
    FitResult out = world_.placement().Fit(manifest, file);
    out.pending = static_cast<std::int64_t>(run_.tally.pending);
    return out;
  }

  SimulationResult Finish() override {
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
    result.start_time = run_.scenario.start_time;
    for (std::uint32_t i = 0; i < replicas_.size(); ++i) {
      if (const SchedulerProcess* process = replicas_.process(i)) {
        result.counts.plugin_samples_dropped += process->dropped_samples();
      }
    }
    targets_.MoveInto(&result.exposition);
    return result;
  }

  // Counts the pods again and compares.
  std::string CheckInvariants() const override {
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
      replicas_.FlushQueue(&SchedulingQueue::FlushBackoff);
      return run_.heap.Push(run_.now + kSecond, kind);
    }
    if (kind == kUnschedulableFlush) {
      replicas_.FlushQueue(&SchedulingQueue::FlushUnschedulable);
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

}  // namespace

std::unique_ptr<Simulation> StartSimulation(const Scenario& scenario, const RunOptions& options) {
  CheckScenario(scenario, 1e18);
  return std::make_unique<Engine>(scenario, options);
}

SimulationResult RunScenario(const Scenario& scenario, const RunOptions& options) {
  const auto simulation = StartSimulation(scenario, options);
  simulation->AdvanceTo(scenario.duration);
  return simulation->Finish();
}

}  // namespace schedlens::sim
