#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_CREATED_PODS_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_CREATED_PODS_H_

// Who created pods, in two windows, as kube-state-metrics shows it. Pods that came and went between
// two of its scrapes are in none of it: how many those may be is said.

#include <map>
#include <optional>
#include <vector>

#include "analysis/causes/window_evidence.h"
#include "analysis/neighbours/pods.h"

namespace schedlens {

/// Windows whose loads are compared, and what the schedulers bound in each.
struct LoadWindows {
  TimeRange now, before;
  double scheduled_now = 0, scheduled_before = 0;
};
/// Nothing without a baseline.
std::optional<LoadWindows> LoadWindowsOf(const WindowEvidence& evidence);

/// Pods that one workload created.
struct Created {
  double now = 0, before = 0;
};

struct CreatedPods {
  TimeRange now, before;  ///< as far as kube-state-metrics was scraped in them
  /// Scheduled in the windows, and seen by kube-state-metrics; and what it did not see of them.
  double seen_now = 0, missed_now = 0, missed_before = 0;
  std::map<WorkloadKey, Created> workloads;
  /// Creation times, whole seconds, of each window.
  std::map<double, std::map<WorkloadKey, double>> seconds_now, seconds_before;
};

/// Which pods count: all, or those that were not scheduled, or not for a second and more, which is
/// what an attempt that fails costs at least.
enum class WhichPods { kAll, kThatWaited };

/// Nothing without kube-state-metrics' pods in both windows.
std::optional<CreatedPods> CountCreatedPods(const NeighbourFacts& facts, const LoadWindows& windows,
                                            WhichPods which = WhichPods::kAll);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_CREATED_PODS_H_
