#include "sim/engine/simulation.h"

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

}  // namespace schedlens::sim
