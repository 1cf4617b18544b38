#ifndef SCHEDLENS_SIM_ENGINE_STATE_METRICS_H_
#define SCHEDLENS_SIM_ENGINE_STATE_METRICS_H_

// kube-state-metrics: the cluster's objects as series, each as long as its object. Time stamps are
// whole seconds, as those of objects are.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "model/exposition.h"
#include "sim/engine/world.h"
#include "sim/metrics/registry.h"

namespace schedlens::sim {

class StateMetrics {
 public:
  StateMetrics(const RunState& run, const World& world);

  /// A sample of everything that exists now.
  void Scrape();
  void MoveInto(Exposition* out);

 private:
  using LabelList = std::vector<NamedLabel>;
  /// Places of a pod's series.
  struct PodSlots {
    std::size_t created = 0;  ///< created, owner, info without a node, three of scheduled
    std::size_t bound = 0;    ///< scheduled_time, info with its node; 0: not bound yet
  };

  std::size_t Add(Neighbour metric, const LabelList& labels);
  void Put(std::size_t slot, double value) { series_[slot].samples.push_back({now_, value}); }
  /// A series found by its labels; for what is few.
  void Put(Neighbour metric, const LabelList& labels, double value);
  double Seconds(Nanos t) const;
  void ScrapePod(std::uint32_t pod);
  void AddPod(std::uint32_t pod);
  void AddBound(std::uint32_t pod);
  LabelList LabelsOf(std::uint32_t pod);
  void ScrapeWorkloads();
  void ScrapeNodes();
  void ScrapeWebhooks();

  const RunState& run_;
  const World& world_;
  int release_;  // minor of 2.x
  TimeMs now_ = 0;
  std::vector<Series> series_;
  std::vector<PodSlots> pods_;
  std::string name_, uid_;  // of the pod at hand
  std::map<Labels, std::size_t> by_labels_;
  std::map<std::string, Nanos> webhooks_since_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_STATE_METRICS_H_
