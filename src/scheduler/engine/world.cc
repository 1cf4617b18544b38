#include "scheduler/engine/world.h"

#include "scheduler/engine/api_server.h"
#include "scheduler/engine/replicas.h"

namespace schedlens::sim {

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

}  // namespace schedlens::sim
