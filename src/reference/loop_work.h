#ifndef SCHEDLENS_REFERENCE_LOOP_WORK_H_
#define SCHEDLENS_REFERENCE_LOOP_WORK_H_

// What the scheduling loop's points would take on the machine whose unit costs were measured:
// counted work times unit costs (sim/cost), for pods without constraints.

#include <memory>
#include <string_view>

#include "sim/cost/attempt_costs.h"
#include "sim/scenario/scenario.h"

namespace schedlens {

/// What decides how much there is to do, and how many do it.
struct LoopSetting {
  int nodes = 0;
  double pods = 0;     ///< assumed or bound
  int percentage = 0;  ///< percentageOfNodesToScore; 0 is adaptive
  int parallelism = 16;
  int cores = 0;  ///< 0: as many as it has, known or not
};

/// Seconds of one attempt at one point: its fixed part, and what grows with nodes or pods.
struct PointWork {
  double fixed = 0;
  double growing = 0;
  double Seconds() const { return fixed + growing; }
};

/// The nodes that must fit before the search stops, at least 1.
int NodesLookedAt(const LoopSetting& setting);

class ComputedLoop {
 public:
  /// Of the release 1.MINOR; one that was not measured takes the nearest older one's unit costs.
  explicit ComputedLoop(int minor);

  /// PreFilter, Filter, PreScore or Score; nothing for another step. Every node looked at fits,
  /// unless `all_nodes`: then Filter goes over all of them. What grows at PreFilter and PreScore
  /// is of pods that have an affinity term; others pay the fixed part alone.
  PointWork Of(sim::Cost point, const LoopSetting& setting, bool all_nodes = false) const;
  /// Whose unit costs: `1.30.14` or `1.36.3`.
  std::string_view measured() const { return units_.measured(); }

 private:
  sim::cost::Labour LabourOf(sim::Cost point, const LoopSetting& setting, bool all_nodes) const;

  std::shared_ptr<const sim::cost::ProfilePlugins> plugins_;  // whose names the costs refer to
  sim::cost::UnitCosts units_;
  sim::cost::AttemptCosts plain_, attracted_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_LOOP_WORK_H_
