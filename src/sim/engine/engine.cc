#include "sim/engine/engine.h"

#include <algorithm>
#include <type_traits>

#include "model/work_budget.h"

namespace schedlens::sim {
namespace {

constexpr Nanos kFlushTakes = 3 * kMillisecond;

}  // namespace

Simulation::Engine::Engine(const Scenario& scenario, const RunOptions& options)
    : run_(scenario, options),
      world_(run_),
      server_(run_, world_),
      replicas_(run_, world_),
      targets_(run_, world_, replicas_),
      neighbours_(run_, world_, server_, replicas_),
      arrivals_(run_, world_),
      api_(run_, world_, replicas_, server_),
      failures_(run_, world_, replicas_, api_),
      binder_(run_, world_, replicas_, api_, failures_),
      loop_(run_, world_, replicas_, api_, failures_, binder_) {
  world_.SetWatch(replicas_);
  world_.CreateFirstPods();
  world_.SetWatch(neighbours_);  // what runs from the start was created long ago
  for (std::uint32_t i = 0; i < replicas_.size(); ++i) replicas_.Start(i);
  targets_.Start();
  neighbours_.Start();
  replicas_.Lead(0, true);
  for (std::uint32_t i = 0; i < run_.scenario.segments.size(); ++i) {
    run_.heap.Push(run_.scenario.segments[i].start, EventKind::kSegment, i);
  }
  first_action_ = run_.heap.Reserve(run_.scenario.actions.size());
  PushAction(0);
  run_.heap.Push(kSecond, EventKind::kRecorderFlush);
  run_.heap.Push(kSecond, EventKind::kBackoffFlush);
  run_.heap.Push(kUnschedulableFlushEvery, EventKind::kUnschedulableFlush);
}

void Simulation::Engine::AdvanceTo(Nanos t) {
  while (!targets_.stopped() && !run_.heap.empty() && run_.heap.next_time() <= t) {
    CheckBudget();
    const HeapEvent event = run_.heap.Pop();
    run_.now = event.at;
    Handle(event);
  }
  run_.now = std::max(run_.now, t);
}

void Simulation::Engine::KillLeader(std::uint32_t next) {
  replicas_.KillLeader(next);
  world_.DropInFlight();
  binder_.Drop();
  loop_.Drop();
}

FitResult Simulation::Engine::Fit(std::string_view manifest, const std::string& file) {
  FitResult out = world_.placement().Fit(manifest, file);
  out.pending = static_cast<std::int64_t>(run_.tally.pending);
  return out;
}

SimulationResult Simulation::Engine::Finish() {
  SimulationResult result;
  result.counts = run_.counts;
  result.counts.pods_created = world_.pods().size();
  result.counts.pods_running = run_.tally.bound;
  result.counts.pods_pending = world_.Unbound();
  for (const SimulatedPod& pod : world_.pods()) {
    result.pods.push_back({pod.pod_template, pod.number});
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
  result.exposition.types = ExpositionTypes(scenario.release);
  neighbours_.MoveInto(&result.exposition);
  return result;
}

PodStory Simulation::Engine::TakeStory() {
  PodStory story = std::move(run_.watch->story());
  if (story.number < 0) return story;
  const auto number = static_cast<PodNumber>(story.number);
  const SimulatedPod& pod = world_.pod(number);
  story.node = pod.node;
  switch (pod.phase) {
    case PodPhase::kPending: {
      const auto where = replicas_.has_leader() ? replicas_.leader().queue.Where(number)
                                                : std::optional<QueueName>();
      story.state = where ? kube::ToString(*where) : "pending";
      break;
    }
    case PodPhase::kInFlight:
      story.state = "in flight";
      break;
    case PodPhase::kBound:
      story.state = "bound";
      break;
    case PodPhase::kGone:
      story.state = "deleted";
      break;
  }
  return story;
}

// What each event does, and each action of a scenario.

struct Simulation::Engine::EventTable {
  enum class Guard : std::uint8_t {
    kAlways,
    kLeader,  ///< dropped unless the leader it belongs to still leads
    kJob,     ///< dropped unless its binding goroutine still runs
  };
  struct Row {
    EventKind kind;
    Guard guard;
    void (*handle)(Engine& engine, const HeapEvent& event);
  };
  static const Row kRows[static_cast<std::size_t>(EventKind::kCount)];

  // A method takes what it needs of an event: nothing, the subject, or the subject and its life.
  template <typename T, typename Method>
  static void Call(T& object, Method method, const HeapEvent& event) {
    if constexpr (std::is_invocable_v<Method, T&>) {
      (object.*method)();
    } else if constexpr (std::is_invocable_v<Method, T&, std::uint32_t>) {
      (object.*method)(event.subject);
    } else {
      (object.*method)(event.subject, event.life);
    }
  }
  template <auto kMethod>
  static void Own(Engine& engine, const HeapEvent& event) {
    Call(engine, kMethod, event);
  }
  template <auto kPart, auto kMethod>
  static void Part(Engine& engine, const HeapEvent& event) {
    Call(engine.*kPart, kMethod, event);
  }
};

// In the order of EventKind.
const Simulation::Engine::EventTable::Row Simulation::Engine::EventTable::kRows[] = {
    {EventKind::kSegment, Guard::kAlways, Own<&Engine::StartSegment>},
    {EventKind::kArrival, Guard::kAlways, Part<&Engine::arrivals_, &Arrivals::Arrive>},
    {EventKind::kMember, Guard::kAlways, Part<&Engine::world_, &World::CreateMember>},
    {EventKind::kAction, Guard::kAlways, Own<&Engine::StartAction>},
    {EventKind::kProcessBack, Guard::kAlways, Part<&Engine::replicas_, &Replicas::ProcessBack>},
    {EventKind::kTakeOver, Guard::kAlways, Part<&Engine::replicas_, &Replicas::TakeOver>},
    {EventKind::kScrape, Guard::kAlways, Part<&Engine::targets_, &ScrapeTargets::Scrape>},
    {EventKind::kNeighbourScrape, Guard::kAlways,
     Part<&Engine::neighbours_, &NeighbourTargets::Scrape>},
    {EventKind::kRecorderFlush, Guard::kAlways, Own<&Engine::FlushRecorders>},
    {EventKind::kBackoffFlush, Guard::kAlways, Own<&Engine::FlushBackoff>},
    {EventKind::kUnschedulableFlush, Guard::kAlways, Own<&Engine::FlushUnschedulable>},
    {EventKind::kLoop, Guard::kLeader, Part<&Engine::loop_, &SchedulingLoop::Next>},
    {EventKind::kVictims, Guard::kLeader, Part<&Engine::loop_, &SchedulingLoop::DeleteVictims>},
    {EventKind::kVictimGone, Guard::kAlways, Part<&Engine::world_, &World::End>},
    {EventKind::kAttemptFailed, Guard::kLeader,
     Part<&Engine::loop_, &SchedulingLoop::AttemptFailed>},
    {EventKind::kBindStart, Guard::kJob, Part<&Engine::binder_, &Binder::Run>},
    {EventKind::kNominated, Guard::kJob, Part<&Engine::binder_, &Binder::Nominated>},
    {EventKind::kPermitOver, Guard::kJob, Part<&Engine::binder_, &Binder::PermitOver>},
    {EventKind::kPreBindDone, Guard::kJob, Part<&Engine::binder_, &Binder::PreBindDone>},
    {EventKind::kBindDone, Guard::kJob, Part<&Engine::binder_, &Binder::BindDone>},
    {EventKind::kBindingArrives, Guard::kAlways, Part<&Engine::server_, &ApiServer::Arrive>},
    {EventKind::kFinished, Guard::kJob, Part<&Engine::binder_, &Binder::Finished>},
    {EventKind::kApiCallDone, Guard::kAlways, Own<&Engine::EndDispatched>},
    {EventKind::kEventSent, Guard::kAlways, Own<&Engine::EndSent>},
    {EventKind::kClaimSeen, Guard::kAlways, Part<&Engine::replicas_, &Replicas::HearClaim>},
    {EventKind::kConfirmed, Guard::kAlways, Own<&Engine::Confirm>},
    {EventKind::kPodEnds, Guard::kAlways, Part<&Engine::world_, &World::End>},
};

void Simulation::Engine::Handle(const HeapEvent& event) {
  const EventTable::Row& row = EventTable::kRows[static_cast<std::size_t>(event.kind)];
  if (row.guard == EventTable::Guard::kLeader && !replicas_.Current(event.life)) return;
  if (row.guard == EventTable::Guard::kJob && !binder_.Live(event.subject, event.life)) return;
  run_.handling = event;
  row.handle(*this, event);
}

void Simulation::Engine::StartSegment(std::uint32_t segment) {
  server_.Advance();
  run_.conditions = &run_.scenario.segments[segment].conditions;
  server_.Advance();
  arrivals_.Start();
}

void Simulation::Engine::FlushRecorders(std::uint32_t half) {
  replicas_.FlushRecorders(half == 0);
  run_.heap.Push(run_.now + (half == 0 ? kFlushTakes : kSecond - kFlushTakes),
                 EventKind::kRecorderFlush, 1 - half);
}

void Simulation::Engine::FlushBackoff() {
  replicas_.FlushBackoff();
  run_.heap.Push(run_.now + kSecond, EventKind::kBackoffFlush);
}

void Simulation::Engine::FlushUnschedulable() {
  replicas_.FlushUnschedulable();
  run_.heap.Push(run_.now + kUnschedulableFlushEvery, EventKind::kUnschedulableFlush);
}

void Simulation::Engine::EndDispatched(std::uint32_t index, std::uint32_t life) {
  if (replicas_.Current(life)) {
    const ApiCall call = api_.EndDispatched(index);
    if (call.kind == ApiCall::Kind::kBind && binder_.Live(call.job, call.job_life)) {
      binder_.DispatchedBindDone(call.job, call.wait, call.failed);
    }
    api_.RunDispatched();
  }
  api_.Free(index);
}

void Simulation::Engine::EndSent(std::uint32_t call, std::uint32_t life) {
  if (replicas_.Current(life)) api_.EndSent(call);
  api_.Free(call);
}

void Simulation::Engine::Confirm(std::uint32_t pod, std::uint32_t life) {
  if (world_.Confirm(pod, life)) replicas_.HearBound(pod);
}

// Actions are in order of time: one at a time is enough.
void Simulation::Engine::PushAction(std::uint32_t index) {
  const std::vector<Action>& actions = run_.scenario.actions;
  if (index >= actions.size()) return;
  run_.heap.PushAs(first_action_ + index, actions[index].at, EventKind::kAction, index);
}

void Simulation::Engine::StartAction(std::uint32_t index) {
  PushAction(index + 1);
  Act(run_.scenario.actions[index]);
}

void Simulation::Engine::Act(const Action& action) {
  const Nanos end = run_.now + action.length;
  switch (action.kind) {
    case ActionKind::kRestart:
      if (!replicas_.has_leader()) break;
      run_.heap.Push(end, EventKind::kProcessBack, replicas_.leader_index());
      KillLeader(replicas_.leader_index());
      break;
    case ActionKind::kLeaderChange: {
      if (!replicas_.has_leader()) break;
      const std::uint32_t old = replicas_.leader_index();
      const std::uint32_t next = (old + 1) % replicas_.size();
      KillLeader(next);
      run_.heap.Push(end, EventKind::kTakeOver, next);
      if (next != old) run_.heap.Push(run_.now + 5 * kSecond, EventKind::kProcessBack, old);
      break;
    }
    case ActionKind::kDeleteNodes:
      world_.DeleteNodes(action.count);
      break;
    case ActionKind::kAddNodes:
      world_.AddNodes(action.count);
      break;
    case ActionKind::kUnreachable:
      targets_.UnreachableUntil(end);
      break;
    case ActionKind::kBurst:
      for (int i = 0; i < action.count; ++i) world_.CreatePods(action.pod_template);
      break;
    case ActionKind::kUngate:
      world_.Ungate(
          action.any_template ? std::nullopt : std::optional<std::size_t>(action.pod_template),
          action.count);
      break;
    case ActionKind::kRollOut:
      world_.StartRollOut(action.pod_template, action.count, action.surge);
      break;
  }
}

void Arrivals::Start() {
  ++starts_;
  const Conditions& c = *run_.conditions;
  double pods = 0;
  double weights = 0;
  for (std::size_t i = 0; i < c.weights.size(); ++i) {
    pods += c.weights[i] * std::max(1, run_.scenario.templates[i].gang);
    weights += c.weights[i];
  }
  if (c.rate <= 0 || weights <= 0) return;
  const double per_arrival = pods / weights * c.burst;
  run_.heap.Push(run_.now + FromSeconds(run_.random.arrivals.Exponential() * per_arrival / c.rate),
                 EventKind::kArrival, starts_);
}

std::size_t Arrivals::PickTemplate() {
  const std::vector<double>& weights = run_.conditions->weights;
  double total = 0;
  for (double weight : weights) total += weight;
  double left = run_.random.arrivals.Uniform() * total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.size() - 1;
}

void Arrivals::Arrive(std::uint32_t start) {
  if (start != starts_) return;
  for (int i = 0; i < run_.conditions->burst; ++i) world_.CreatePods(PickTemplate());
  Start();
}

}  // namespace schedlens::sim
