#include "sim/engine/simulation.h"

#include <fmt/format.h>

#include "sim/engine/engine.h"

namespace schedlens::sim {

std::string_view StageName(AttemptStage stage) {
  static constexpr std::string_view kNames[] = {
      "snapshot", "prefilter",      "filter",      "recording",   "ext_filter", "prescore",
      "score",    "ext_prioritize", "select_host", "postfilter",  "assume",     "reserve",
      "permit",   "spawn",          "nominate",    "permit_wait", "prebind",    "ext_bind",
      "bind",     "finish",         "unreserve"};
  return kNames[static_cast<std::size_t>(stage)];
}

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

// The books of a run, checked by counting again.

// Counts the pods again and compares.
std::string Simulation::Engine::CheckPods() const {
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
  if (counted.pending != tally.pending) {
    return fmt::format("{} pending pods, counted {}", counted.pending, tally.pending);
  }
  if (counted.bound != tally.bound) {
    return fmt::format("{} bound pods, counted {}", counted.bound, tally.bound);
  }
  if (counted.assumed != tally.assumed) {
    return fmt::format("{} assumed pods, counted {}", counted.assumed, tally.assumed);
  }
  if (in_flight > binder_.running() + (leads && replicas_.leader().work.busy ? 1 : 0)) {
    return fmt::format("{} pods in flight but {} binding cycles", in_flight, binder_.running());
  }
  return "";
}

std::string Simulation::Engine::CheckInvariants() const {
  std::string broken = CheckPods();
  if (broken.empty() && !world_.placement().WithinCapacity()) broken = "a node is over capacity";
  return broken;
}

}  // namespace schedlens::sim
