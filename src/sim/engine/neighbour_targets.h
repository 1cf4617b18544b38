#ifndef SCHEDLENS_SIM_ENGINE_NEIGHBOUR_TARGETS_H_
#define SCHEDLENS_SIM_ENGINE_NEIGHBOUR_TARGETS_H_

// What a Prometheus scrapes beside the schedulers: API servers, etcd, kube-state-metrics. It hears
// of every pod before the schedulers do, as the API server does.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engine/api_server.h"
#include "sim/engine/state_metrics.h"
#include "sim/metrics/scraper.h"

namespace schedlens::sim {

class NeighbourTargets : public WorldWatch {
 public:
  /// `schedulers` hears of everything next.
  NeighbourTargets(RunState& run, const World& world, ApiServer& server, WorldWatch& schedulers);

  /// Begins to scrape, if the scenario has an API server and the run's options ask for scrapes.
  void Start();
  void Scrape(std::uint32_t target);
  /// Moves the series out, and names their types.
  void MoveInto(Exposition* out);

  void PodCreated(PodNumber pod) override;
  void PodDeleted(PodNumber pod) override;
  void PodChanged(PodNumber pod, PodEvent change) override { schedulers_.PodChanged(pod, change); }
  void NodesAdded() override { schedulers_.NodesAdded(); }
  void NodeDeleted(int node) override { schedulers_.NodeDeleted(node); }
  void Wake() override { schedulers_.Wake(); }

 private:
  struct Target {
    std::optional<Scraper> scraper;  // none: kube-state-metrics
    Nanos offset = 0;
    Nanos interval = 0;
    std::uint64_t scrapes = 0;
  };

  RunState& run_;
  ApiServer& server_;
  WorldWatch& schedulers_;
  StateMetrics state_;
  std::vector<Target> targets_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_NEIGHBOUR_TARGETS_H_
