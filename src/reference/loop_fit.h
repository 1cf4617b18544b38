#ifndef SCHEDLENS_REFERENCE_LOOP_FIT_H_
#define SCHEDLENS_REFERENCE_LOOP_FIT_H_

// The loop's points as work: what was measured at each of them is the computed work (loop_work.h)
// times a factor. A point's distribution stays as measured; the work says how it changes with
// nodes, pods, workers and cores.
//
//   seconds of a point = factor x (fixed + weight x growing)
//
// `fixed` and `growing` are the release's unit costs times what there is to do. The factor is the
// machine's, the same at all points: every attempt pays at least a plain pod's work, so it is at
// most what the cheapest point has, measured over computed. `weight` is each point's own: what its
// plugins cost more than a plain pod's. At PreFilter and PreScore only InterPodAffinity and
// PodTopologySpread go over all pods, and only for pods with such terms; what the plugins' own
// metric gives to others is fixed.

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/diagnose/diagnose.h"
#include "reference/loop_work.h"

namespace schedlens {

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

#endif  // SCHEDLENS_REFERENCE_LOOP_FIT_H_
