#pragma once

// The loop's points as work: what was measured at each of them is the computed work, what it would
// take on the machine whose unit costs were measured (sim/cost), times a factor. A point's
// distribution stays as measured; the work says how it changes with nodes, pods, workers and cores.
//
//   seconds of a point = factor x (fixed + weight x growing)
//
// `fixed` and `growing` are the release's unit costs times what there is to do. The factor is the
// machine's, the same at all points: every attempt pays at least a plain pod's work, so it is at
// most what the cheapest point has, measured over computed. `weight` is each point's own: what its
// plugins cost more than a plain pod's. At PreFilter and PreScore only InterPodAffinity and
// PodTopologySpread go over all pods, and only for pods with such terms; what the plugins' own
// metric gives to others is fixed.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnose/pipeline/diagnose.h"
#include "scheduler/cost/attempt_costs.h"
#include "scheduler/scenario/scenario.h"

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

/// Nodes, or pods that are assumed or bound, in the scheduler's cache at the window's end, as its
/// gauge says; nothing without it.
std::optional<double> CacheSizeOf(const Investigation& investigation, std::string_view type);

/// How many times as long something takes: likely, at least and at most.
struct Growth {
  double likely = 1;
  double most = 1;
  double least = 1;
};

/// A number that is not measured itself, and the bounds of what is not known about it. Chance is
/// not in them: it is of this window.
struct Factor {
  double low = 0, likely = 0, high = 0;
};

struct PointFit {
  sim::Cost point = sim::Cost::kFilter;
  kube::ExtensionPoint name = kube::ExtensionPoint::kFilter;
  double seconds = 0;  ///< of a run of the point in the window, on average; 0: it never ran
  double of_pods = 0;  ///< the share that plugins have which go over all pods
  Factor factor;       ///< measured over computed for pods without constraints, of this point alone
};

class LoopFit {
 public:
  /// Nothing is known: no point changes.
  LoopFit() = default;
  /// Of `window`, where the number of nodes is known. Cores are taken to be two, as in a
  /// simulation; bounds hold 1 to as many as there are workers. `cores`: known to be so many; 0:
  /// not known. Pods that are not known are taken to be ten a node; bounds hold 1 to 110.
  LoopFit(const Investigation& investigation, const Measurement& window, int cores);

  bool known() const { return setting_.nodes > 0; }
  /// As it is played: that of the window until Move.
  const LoopSetting& setting() const { return setting_; }
  void Move(const LoopSetting& to) { setting_ = to; }
  const std::vector<PointFit>& points() const { return points_; }
  /// How many times the computed time this machine takes: the cheapest point's factor. Nothing
  /// where no point ran or nodes are not known.
  std::optional<Factor> machine() const;
  /// Whose unit costs; "" where nothing is known.
  std::string_view measured() const { return works_.empty() ? "" : works_.front().measured(); }

  /// How a point's time changes from the setting to `to`. 1 where nothing is known, and for steps
  /// other than PreFilter, Filter, PreScore and Score.
  Growth Of(sim::Cost point, const LoopSetting& to) const;

 private:
  void SetFactor(PointFit* fit) const;
  Growth OfNodes(const PointFit& fit, const LoopSetting& to) const;
  Growth OfPods(const PointFit& fit, const LoopSetting& to) const;
  void AllowForWarmth(double part, const LoopSetting& to, Growth* growth) const;

  LoopSetting setting_, window_;
  std::vector<double> pods_ = {1};   ///< times the window's pods that are possible
  std::vector<int> cores_;           ///< that are possible
  std::vector<ComputedLoop> works_;  ///< of each release that it may be, the likeliest first
  std::vector<PointFit> points_;
};

}  // namespace schedlens
