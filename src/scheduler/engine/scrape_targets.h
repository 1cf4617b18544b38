#pragma once

// A Prometheus that scrapes every replica and, if the scenario has an API server, what is beside
// the schedulers: API servers, etcd, kube-state-metrics.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/engine/api_server.h"
#include "scheduler/engine/replicas.h"
#include "scheduler/metrics/scraper.h"

namespace schedlens::sim {

class ScrapeTargets {
 public:
  ScrapeTargets(RunState& run, const World& world, Replicas& replicas, ApiServer& server);
  ~ScrapeTargets();

  /// Begins to scrape, if the run's options ask for it.
  void Start();
  void Scrape(std::uint32_t target);
  /// Scrapes of schedulers fail until then.
  void UnreachableUntil(Nanos t) { unreachable_until_ = t; }
  /// What GET /metrics answers now; "" while the process is down. Throws std::out_of_range for a
  /// replica that does not exist.
  std::string MetricsPage(int replica);
  /// Moves the series out, and names their types.
  void MoveInto(Exposition* out);
  /// The run's progress callback asked to stop.
  bool stopped() const { return stopped_; }

 private:
  class StateMetrics;
  struct Target {
    std::optional<Scraper> scraper;  // none: kube-state-metrics
    Random random;
    Nanos interval = 0;
    Nanos jitter = 0;
    Nanos offset = 0;
    std::uint64_t scrapes = 0;
  };

  void Add(std::optional<Scraper> scraper, std::uint64_t stream, Nanos interval, Nanos jitter);
  void ScrapeReplica(std::uint32_t replica, TimeMs t);
  void ScrapeNeighbour(std::uint32_t target, TimeMs t);
  void RefreshGauges(std::uint32_t replica);
  void ReportProgress();

  RunState& run_;
  const World& world_;
  Replicas& replicas_;
  ApiServer& server_;
  std::vector<Target> targets_;  // the replicas, then the others
  std::unique_ptr<StateMetrics> state_;
  Nanos unreachable_until_ = 0;
  double last_progress_ = 0;
  bool stopped_ = false;
};

}  // namespace schedlens::sim
