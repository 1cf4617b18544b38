// What each event does, and each action of a scenario.

#include <type_traits>

#include "sim/engine/engine.h"

namespace schedlens::sim {
namespace {

constexpr Nanos kFlushTakes = 3 * kMillisecond;

}  // namespace

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
    {EventKind::kClaimsMade, Guard::kAlways, Part<&Engine::world_, &World::MakeClaims>},
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

}  // namespace schedlens::sim
