#ifndef SCHEDLENS_SIM_ENGINE_SCRAPE_TARGETS_H_
#define SCHEDLENS_SIM_ENGINE_SCRAPE_TARGETS_H_

// A Prometheus that scrapes every replica.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/engine/replicas.h"
#include "sim/metrics/scraper.h"

namespace schedlens::sim {

class ScrapeTargets {
 public:
  ScrapeTargets(RunState& run, const World& world, Replicas& replicas);

  /// Begins to scrape, if the run's options ask for it.
  void Start();
  void Scrape(std::uint32_t replica);
  /// Scrapes fail until then.
  void UnreachableUntil(Nanos t) { unreachable_until_ = t; }
  /// What GET /metrics answers now; "" while the process is down. Throws std::out_of_range for a
  /// replica that does not exist.
  std::string MetricsPage(int replica);
  /// Moves the series out.
  void MoveInto(Exposition* out);
  /// The run's progress callback asked to stop.
  bool stopped() const { return stopped_; }

 private:
  struct Target {
    Scraper scraper;
    Random jitter;
    std::uint64_t scrapes = 0;
    Nanos offset = 0;
  };

  void RefreshGauges(std::uint32_t replica);
  void ReportProgress();

  RunState& run_;
  const World& world_;
  Replicas& replicas_;
  std::vector<Target> targets_;
  Nanos unreachable_until_ = 0;
  double last_progress_ = 0;
  bool stopped_ = false;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_SCRAPE_TARGETS_H_
