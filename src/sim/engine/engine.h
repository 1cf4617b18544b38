#ifndef SCHEDLENS_SIM_ENGINE_ENGINE_H_
#define SCHEDLENS_SIM_ENGINE_ENGINE_H_

// The discrete-event engine behind Simulation: it owns the parts and hands each event to the one
// it is for.

#include <cstdint>
#include <string>

#include "sim/engine/api_client.h"
#include "sim/engine/api_server.h"
#include "sim/engine/binder.h"
#include "sim/engine/failure_handler.h"
#include "sim/engine/neighbour_targets.h"
#include "sim/engine/replicas.h"
#include "sim/engine/run_state.h"
#include "sim/engine/scheduling_loop.h"
#include "sim/engine/scrape_targets.h"
#include "sim/engine/simulation.h"
#include "sim/engine/world.h"

namespace schedlens::sim {

// New pods, as a Poisson process whose rate and mix follow the conditions.
class Arrivals {
 public:
  Arrivals(RunState& run, World& world) : run_(run), world_(world) {}

  /// Draws the next arrival under the conditions of now; what was drawn before is void.
  void Start();
  /// Pods arrive, unless that was drawn before the latest start.
  void Arrive(std::uint32_t start);

 private:
  std::size_t PickTemplate();

  RunState& run_;
  World& world_;
  std::uint32_t starts_ = 0;  // how often the process was started
};

class Simulation::Engine {
 public:
  Engine(const Scenario& scenario, const RunOptions& options);

  // See Simulation.
  void AdvanceTo(Nanos t);
  Nanos now() const { return run_.now; }
  std::string MetricsPage(int replica) { return targets_.MetricsPage(replica); }
  FitResult Fit(std::string_view manifest, const std::string& file);
  SimulationResult Finish();
  std::string CheckInvariants() const;

 private:
  static constexpr Nanos kUnschedulableFlushEvery = 30 * kSecond;
  struct EventTable;

  void Handle(const HeapEvent& event);
  void StartSegment(std::uint32_t segment);
  void StartAction(std::uint32_t index);
  void FlushRecorders(std::uint32_t half);
  void FlushBackoff();
  void FlushUnschedulable();
  void EndDispatched(std::uint32_t call, std::uint32_t life);
  void EndSent(std::uint32_t call, std::uint32_t life);
  void Confirm(std::uint32_t pod, std::uint32_t life);
  void PushAction(std::uint32_t index);
  void Act(const Action& action);
  void KillLeader(std::uint32_t next);
  std::string CheckPods() const;
  PodStory TakeStory();

  RunState run_;
  World world_;
  ApiServer server_;
  Replicas replicas_;
  ScrapeTargets targets_;
  NeighbourTargets neighbours_;
  Arrivals arrivals_;
  ApiClient api_;
  FailureHandler failures_;
  Binder binder_;
  SchedulingLoop loop_;
  std::uint64_t first_action_ = 0;  // place of the first action among events of one instant
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_ENGINE_H_
