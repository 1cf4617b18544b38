#pragma once

#include "diagnose/control_plane/binding_path.h"
#include "stats/proven_interval.h"

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
std::optional<CreatedPods> CountCreatedPods(const ControlPlaneFacts& facts,
                                            const LoadWindows& windows,
                                            WhichPods which = WhichPods::kAll);

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
std::vector<ClusterChange> FindLoadChanges(const ControlPlaneFacts& facts,
                                           const LoadWindows& windows, TimeMs onset);

/// How often something was seen in two windows.
struct Counted {
  double now = 0, before = 0;                  ///< counts
  double seconds_now = 1, seconds_before = 1;  ///< lengths of the windows; of a level both 1
};

/// True where its rate is 1.5 times what it was or more, and chance would put so much of both
/// windows' count into the later one (a binomial test, exact) with one percent at most, over all
/// of the `tried` things together. Nothing grows in a window without a length.
bool HasGrown(const Counted& counted, std::size_t tried);

// Which plugins reject the pods that find no node. The scheduler's own metric: no other component
// needed.

/// The plugins that hold more pods than in the baseline, by the mean of the window's scrapes: each
/// with its part of the pods held more. A pod counts for every plugin that rejected it, so a part
/// is at least the plugin's count of all counts, and at most its count of the largest. `likely`
/// where the growth is no chance and no other plugin holds half as many, `possible` else; strongest
/// first. Empty without the metric (before 1.24), and where no plugin holds more pods than before.
std::vector<CauseBehind> WhoRejectsPods(const Facts& facts, const TimeRange& window,
                                        const std::optional<TimeRange>& baseline);

// What changed around the onset: by whom it is told, each change once, and whose cause it is.

/// What changed close to `onset`, nearest first: within two minutes of it, or three scrapes where
/// those are longer; what came more than a scrape after it is listed behind all others and is no
/// cause. A thing changed only if its process was scraped before and after: what was there at the
/// first scrape was there already. Loads (FindLoadChanges), which have no time of their own, come
/// last, and need a baseline from before the onset. Of more than three objects that changed alike
/// the nearest stands for all.
std::vector<ClusterChange> FindChanges(const Facts& facts, const ControlPlaneFacts& control_plane,
                                       TimeMs onset, const std::optional<LoadWindows>& loads);

/// Around the start of the evidence's window.
std::vector<ClusterChange> FindChanges(const Facts& facts, const ControlPlaneFacts& control_plane,
                                       const WindowEvidence& evidence);

/// A change between two moments, of which the middle is the best guess, that the metric `source`
/// shows; with values where there are any.
ClusterChange ChangeBetween(const char* what, std::string object, TimeMs earliest, TimeMs latest,
                            std::string_view source, std::string before = "",
                            std::string after = "");

class ChangeLog {
 public:
  /// `interval` is that of the schedulers' scrapes: the onset lies within one of it.
  ChangeLog(TimeMs onset, TimeMs interval) : onset_(onset), interval_(interval) {}

  TimeMs onset() const { return onset_; }

  /// Notes a change that happened between two moments, if they are close enough to the onset:
  /// before it, or after it, which is said.
  /// `interval` is that of the scrapes that show it. The best guess is the middle; `at` sets it.
  void Note(ClusterChange change, TimeMs interval);

  /// Those that may be from before the onset first, nearest first; at most twenty, alike ones
  /// together.
  std::vector<ClusterChange> Changes() const;

 private:
  TimeMs onset_, interval_;
  std::vector<ClusterChange> changes_;
};

/// Where what is behind a finding is also what changed around the onset, its evidence says so, the
/// nearest change only. A webhook is its configuration's where kube-state-metrics says that.
/// Changes after the onset, and loads over the whole window, are nobody's cause and not told.
void SayWhatChanged(const std::vector<ClusterChange>& changes, const ControlPlaneFacts& facts,
                    std::vector<Finding>* findings);

// Who waited, and which processes beside the schedulers were seen.

/// What the schedulers' own histograms prove of all pods that they scheduled in a window: of the
/// pods' whole wait where that was recorded, else of the attempts that scheduled them.
struct WaitTotals {
  double pods = 0;
  std::optional<double> seconds;
  CountBounds over;  ///< pods that waited more than the threshold
};
WaitTotals MeasureWaits(const Measurement& measured, double threshold);

/// How what is told of single pods is measured.
Basis OfObjects();

/// Who waited. Everything is of pods that were scheduled in `window`; a wait of d whole seconds is
/// more than d - 1 and less than d + 1. Without kube-state-metrics there are the totals alone, as
/// `counted`; with it at least what is proven of the pods that were seen.
Impact MeasureImpact(const ControlPlaneFacts& facts, const TimeRange& window, double threshold,
                     const WaitTotals& counted, const std::optional<WaitTotals>& before);

/// Of the evidence's window against its baseline, over the alert's threshold or one second.
Impact MeasureImpact(const ControlPlaneFacts& facts, const WindowEvidence& evidence);

/// Which parts of the control plane were scraped in the window of the breakdown, how many there
/// must be at least, and what is missing of each. They are told apart by what they expose, never by
/// the name of a job. `path` and `impact` where there are any: what they cover of the scheduler's
/// own counts.
ControlPlaneSeen LookAround(const ControlPlaneFacts& facts, const TimeBreakdown& breakdown,
                            const std::optional<BindingPath>& path,
                            const std::optional<Impact>& impact);

/// What the counts of bindings say besides: that an extender binds, or another client.
std::vector<Message> WhoElseBinds(const BindingPath& path, const TimeBreakdown& breakdown);

}  // namespace schedlens
