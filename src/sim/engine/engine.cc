#include "sim/engine/engine.h"

#include <algorithm>

#include "model/work_budget.h"

namespace schedlens::sim {
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

}  // namespace schedlens::sim
