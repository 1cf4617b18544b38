#ifndef SCHEDLENS_CONTRACT_IMPACT_H_
#define SCHEDLENS_CONTRACT_IMPACT_H_

// Who waited in the window, and what changed around its start. Parts of a Diagnosis.

#include <optional>
#include <string>
#include <vector>

#include "contract/message.h"
#include "contract/series.h"
#include "schedlens/estimate.h"

namespace schedlens {

/// The pods of one workload that were scheduled in the window. Low ends are what
/// kube-state-metrics saw; high ends allow for all that it missed.
struct WorkloadImpact {
  std::string name_space;
  std::string kind;  ///< "Deployment", ...; "Pod" of pods without an owner; empty where unknown
  std::string name;  ///< empty of pods without an owner, and where unknown
  Measured pods = {};
  Measured over = {};     ///< that waited more than the threshold
  Measured longest = {};  ///< wait in seconds, of the pods that were seen
  std::optional<Measured> extra_seconds =
      {};              ///< waited more than in the baseline, all pods together
  double waiting = 0;  ///< pods that were not scheduled by the window's end
};

/// How much of what was scheduled the split knows.
struct ImpactCoverage {
  bool kube_state_metrics = false;  ///< its metrics of pods are in the source
  double pods_seen = 0;             ///< scheduled in the window, by kube-state-metrics
  double pods_scheduled = 0;        ///< the same by the schedulers themselves
  double workloads_left_out = 0;    ///< beyond the list
};

/// The totals are the schedulers' own and proven, the split by workload is bounds.
struct Impact {
  double threshold = 0;  ///< seconds: the alert's, or one second
  Measured pods_over_threshold;
  /// Of all results. Absent in diagnoses of before it was counted.
  std::optional<Measured> attempts_over_threshold = {};
  /// How long the alert stood above its threshold within the window, by its evaluations; absent
  /// without one to exceed.
  std::optional<double> above_seconds = {};
  std::optional<Measured> extra_seconds;  ///< absent without a baseline
  std::vector<WorkloadImpact> workloads;  ///< hit hardest first
  ImpactCoverage coverage;
};

/// Something that changed close to the window's start. That is all it says: not that it is a cause.
struct ClusterChange {
  Message what;
  std::string object;
  double count = 1;  ///< objects that changed alike; `object` is the nearest of them
  TimeMs at = 0;     ///< best guess between the next two
  TimeMs earliest = 0, latest = 0;
  std::string before, after;    ///< values, where there are any
  double distance_seconds = 0;  ///< of `at` from the window's start; negative: before it
  std::string source;           ///< the metric
  bool after_onset = false;     ///< certainly after the onset: no cause
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_IMPACT_H_
