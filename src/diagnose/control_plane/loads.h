#pragma once

// Load: who created pods, what grew, whose load it is, and which plugins reject pods.

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/collect/facts.h"
#include "diagnose/control_plane/neighbour_facts.h"

namespace schedlens {

// Who created pods, in two windows, as kube-state-metrics shows it. Pods that came and went between
// two of its scrapes are in none of it: how many those may be is said.

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

// Who creates the pods that wait for the scheduler or for its client.

/// The workloads behind a load: those that created more pods a second than in the baseline, even
/// if all that kube-state-metrics missed there were theirs, each with its part of what grew. Where
/// none did, those whose pods came in seconds busier than any of the baseline's by half as much
/// again, if chance would not put the busiest seconds of both into the window. `likely` from three
/// tenths on, left out below one; strongest first, at most five. A workload without a name is
/// nobody's to ask, and is left out.
std::vector<CauseBehind> WhoCreatesPods(const CreatedPods& created);

/// What the cluster carries more of than in the baseline, by 1.5 times and more and not by chance:
/// - pods created, by namespace, even if all that kube-state-metrics missed before was of it;
/// - requests by flow schema: the median test (exact) over the scrapes, for requests come in
///   bursts; a tenth of what all requests grew by at least;
/// - objects by resource, and the size of the database from 64 MiB more on: beyond what their
///   fastest growth in the baseline would have come to since.
/// None has a time of its own: `at` is the onset. Whatever is not in both windows is left out.
std::vector<ClusterChange> FindLoadChanges(const NeighbourFacts& facts, const LoadWindows& windows,
                                           TimeMs onset);

// When more of something is a change, and not chance.

/// How often something was seen in two windows.
struct Counted {
  double now = 0, before = 0;                  ///< counts
  double seconds_now = 1, seconds_before = 1;  ///< lengths of the windows; of a level both 1
};

/// True where its rate is 1.5 times what it was or more, and chance would put so much of both
/// windows' count into the later one (a binomial test, exact) with one percent at most, over all
/// of the `tried` things together. Nothing grows in a window without a length.
bool HasGrown(const Counted& counted, std::size_t tried);

// Which plugins reject the pods that find no node. The scheduler's own metric: no neighbour needed.

/// The plugins that hold more pods than in the baseline, by the mean of the window's scrapes: each
/// with its part of the pods held more. A pod counts for every plugin that rejected it, so a part
/// is at least the plugin's count of all counts, and at most its count of the largest. `likely`
/// where the growth is no chance and no other plugin holds half as many, `possible` else; strongest
/// first. Empty without the metric (before 1.24), and where no plugin holds more pods than before.
std::vector<CauseBehind> WhoRejectsPods(const Facts& facts, const TimeRange& window,
                                        const std::optional<TimeRange>& baseline);

}  // namespace schedlens
