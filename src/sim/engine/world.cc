// The world outside the scheduler: pods that come and go, nodes, deployments, restarts.

#include <fmt/format.h>

#include <algorithm>

#include "sim/engine/engine.h"

namespace schedlens::sim {

void Simulation::Engine::StartArrivals() {
  ++arrival_life_;
  const Conditions& c = *conditions_;
  double pods = 0;
  double weights = 0;
  for (std::size_t i = 0; i < c.weights.size(); ++i) {
    pods += c.weights[i] * std::max(1, scenario_.templates[i].gang);
    weights += c.weights[i];
  }
  if (c.rate <= 0 || weights <= 0) return;
  const double per_arrival = pods / weights * c.burst;
  heap_.Push(now_ + FromSeconds(arrivals_.Exponential() * per_arrival / c.rate),
             EventKind::kArrival, 0, arrival_life_);
}

std::size_t Simulation::Engine::PickTemplate() {
  const std::vector<double>& weights = conditions_->weights;
  double total = 0;
  for (double weight : weights) total += weight;
  double left = arrivals_.Uniform() * total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.size() - 1;
}

void Simulation::Engine::Arrive() {
  for (int i = 0; i < conditions_->burst; ++i) CreatePods(PickTemplate(), -1);
  StartArrivals();
}

// A pod, or the whole group if the template is a gang: its members come one by one.
void Simulation::Engine::CreatePods(std::size_t pod_template, std::int32_t roll_out) {
  const int size = scenario_.templates[pod_template].gang;
  if (size <= 0) {
    CreatePod(pod_template, -1, roll_out);
    return;
  }
  const auto gang = static_cast<std::int32_t>(gangs_.size());
  gangs_.emplace_back();
  gangs_.back().size = size;
  gangs_.back().pod_template = pod_template;
  for (int i = 0; i < size; ++i) {
    const Nanos later =
        SampleCost(Cost::kGangSpread, static_cast<std::uint32_t>(pod_template), arrivals_, 0, 1);
    heap_.Push(now_ + later, EventKind::kMember, static_cast<std::uint32_t>(gang));
  }
}

PodId Simulation::Engine::CreatePod(std::size_t pod_template, std::int32_t gang,
                                    std::int32_t roll_out) {
  const auto pod = static_cast<PodId>(pods_.size());
  const PodTemplate& shape = scenario_.templates[pod_template];
  pods_.emplace_back();
  Pod& p = pods_.back();
  p.pod_template = static_cast<std::uint32_t>(pod_template);
  p.number = ++numbers_[pod_template];
  p.gang = gang;
  p.roll_out = roll_out;
  p.created = now_;
  ++counts_.pods_created;
  ++pending_;
  if (!shape.pending_life.IsZero()) {
    heap_.Push(now_ + FromSeconds(shape.pending_life.Sample(lives_)), EventKind::kPodEnds, pod,
               p.life);
  }
  for (std::uint32_t i = 0; i < replicas_.size(); ++i) {
    if (replicas_[i].process == nullptr) continue;
    SchedulerProcess& process = *replicas_[i].process;
    if (!(leading_ && i == leader_)) {
      ++process.standby_adds;
      continue;
    }
    process.queue.Add(pod, shape.priority, now_);
    process.cpu_seconds += 0.0004;  // informer, queue
    if (scenario_.release.observes_pre_enqueue()) {
      process.ObservePoint(Point::kPreEnqueue, Status::kSuccess, p.pod_template, 2 * kMicrosecond);
    }
  }
  WakeLoop();
  return pod;
}

// A pod that runs from the start.
void Simulation::Engine::PutBound(PodId pod, int node) {
  Pod& p = pods_[pod];
  placement_.Assume(pod, p.pod_template, node);
  p.node = node;
  p.phase = PodPhase::kBound;
  p.confirmed = true;
  ++p.life;
  --pending_;
  ++bound_;
  ++confirmed_;
  ++counts_.pods_bound;
}

// The pods of a real cluster: bound ones where they are, pending ones before any other arrives.
void Simulation::Engine::CreateObjectPods() {
  if (!scenario_.objects) return;
  const core::Cluster& objects = *scenario_.objects;
  for (core::PodId id = 0; id < objects.pod_limit(); ++id) {
    const core::Pod& object = objects.pod(id);
    if (!object.alive) continue;
    const std::size_t shape =
        scenario_.first_object_template + static_cast<std::size_t>(object.spec);
    // Another scheduler's pods count where they run, and wait for that one where they do not.
    const core::Id scheduler = objects.SpecOf(id).scheduler_name;
    if (object.node == core::kNone &&
        objects.strings().Text(scheduler) != scenario_.templates[shape].profile) {
      continue;
    }
    const PodId pod = CreatePod(shape, -1, -1);
    object_names_.push_back(fmt::format(
        "{}/{}", objects.strings().Text(objects.SpecOf(id).namespace_name), object.name));
    if (object.node != core::kNone) {
      PutBound(pod, object.node);
      placement_.Started(pod, object.start_ms);
      if (object.terminating) {
        placement_.Terminating(pod);
        pods_[pod].deleting = true;
        const Nanos grace = FromSeconds(scenario_.templates[shape].grace.Sample(lives_));
        heap_.Push(grace, EventKind::kVictimGone, pod, pods_[pod].life);
      }
    } else if (object.nominated != core::kNone) {
      pods_[pod].nominated = object.nominated;
      placement_.Nominate(pod, shape, pods_[pod].nominated);
    }
  }
}

// The pod's binding is complete; its life begins.
void Simulation::Engine::PodBound(PodId pod) {
  Pod& p = pods_[pod];
  p.phase = PodPhase::kBound;
  p.nominated = -1;
  ++p.life;
  ++bound_;
  ++counts_.pods_bound;
  placement_.Started(pod, scenario_.start_time + now_ / kMillisecond);
  const PodTemplate& shape = scenario_.templates[p.pod_template];
  if (!shape.life.IsZero()) {
    heap_.Push(now_ + FromSeconds(shape.life.Sample(lives_)), EventKind::kPodEnds, pod, p.life);
  }
  const Nanos lag = SampleCost(Cost::kInformer, p.pod_template, api_random_, 0, 1);
  heap_.Push(now_ + lag, EventKind::kConfirmed, pod, p.life);
  if (p.gang >= 0) ++gangs_[static_cast<std::size_t>(p.gang)].bound;
  if (p.roll_out >= 0) ContinueRollOut(p.roll_out);
}

void Simulation::Engine::PodEnds(const HeapEvent& event) {
  if (pods_[event.subject].life == event.life) RemovePod(event.subject);
}

// Deletes a pod in whatever phase it is.
void Simulation::Engine::RemovePod(PodId pod) {
  Pod& p = pods_[pod];
  if (p.phase == PodPhase::kGone) return;
  const bool was_bound = p.phase == PodPhase::kBound;
  if (was_bound) {
    --bound_;
    ++counts_.pods_deleted_bound;
    --(p.confirmed ? confirmed_ : assumed_);
  } else {
    ++counts_.pods_deleted_pending;
    if (p.phase == PodPhase::kPending) --pending_;
    if (p.phase == PodPhase::kInFlight && p.node >= 0) --assumed_;
  }
  if (p.victim_of >= 0) --pods_[static_cast<std::size_t>(p.victim_of)].victims_left;
  placement_.Remove(pod);
  p.phase = PodPhase::kGone;
  ++p.life;
  const bool had_node = p.node >= 0;
  if (has_leader()) {
    leader().queue.Remove(pod);
    leader().cpu_seconds += 0.0002;
    if (had_node) leader().queue.MoveOnEvent(QueueEvent::kAssignedPodDelete, now_);
  }
  if (p.roll_out >= 0 && !was_bound) ContinueRollOut(p.roll_out);
  WakeLoop();
}

void Simulation::Engine::ContinueRollOut(std::int32_t roll_out) {
  RollOut& deployment = roll_outs_[static_cast<std::size_t>(roll_out)];
  if (deployment.left <= 0) return;
  --deployment.left;
  CreatePod(deployment.pod_template, -1, roll_out);
}

void Simulation::Engine::DeleteNodes(int count) {
  std::vector<int> alive;
  for (int node = 0; node < placement_.node_slots(); ++node) {
    if (placement_.alive(node)) alive.push_back(node);
  }
  for (int i = 0; i < count && alive.size() > 1; ++i) {
    const std::size_t pick = lives_.Below(static_cast<std::uint32_t>(alive.size()));
    const int node = alive[pick];
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(pick));
    for (PodId pod : placement_.DeleteNode(node)) RemovePod(pod);
  }
}

void Simulation::Engine::Act(const Action& action) {
  switch (action.kind) {
    case ActionKind::kRestart:
      if (!has_leader()) break;
      heap_.Push(now_ + action.length, EventKind::kProcessBack, leader_);
      KillLeader();
      break;
    case ActionKind::kLeaderChange: {
      if (!has_leader()) break;
      const std::uint32_t old = leader_;
      const std::uint32_t next = (old + 1) % static_cast<std::uint32_t>(replicas_.size());
      KillLeader();
      leader_ = next;
      heap_.Push(now_ + action.length, EventKind::kTakeOver, next);
      if (next != old) heap_.Push(now_ + 5 * kSecond, EventKind::kProcessBack, old);
      break;
    }
    case ActionKind::kDeleteNodes:
      DeleteNodes(action.count);
      break;
    case ActionKind::kAddNodes:
      for (int i = 0; i < action.count; ++i) placement_.AddNode(0);
      if (has_leader()) leader().queue.MoveOnEvent(QueueEvent::kNodeAdd, now_);
      WakeLoop();
      break;
    case ActionKind::kUnreachable:
      unreachable_until_ = now_ + action.length;
      break;
    case ActionKind::kBurst:
      for (int i = 0; i < action.count; ++i) CreatePods(action.pod_template, -1);
      break;
    case ActionKind::kRollOut: {
      const auto index = static_cast<std::int32_t>(roll_outs_.size());
      const int first = std::min(action.surge, action.count);
      roll_outs_.push_back({action.pod_template, action.count - first});
      for (int i = 0; i < first; ++i) CreatePod(action.pod_template, -1, index);
      break;
    }
  }
}

}  // namespace schedlens::sim
