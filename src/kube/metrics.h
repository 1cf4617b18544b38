#pragma once

#include "base/text.h"
#include "kube/words.h"

namespace schedlens::kube {

// The metrics of kube-scheduler, and of who stands around it: API server, etcd, kube-state-metrics,
// volumes, their client library and their process. What they look like in which release says one
// table, metrics.txt: a new release adds rows and eras there, and names here that are read.

// Kubernetes releases, as the minor number of 1.x.
constexpr int kOldestRelease = 18;  ///< what is older is like it
constexpr int kNewestRelease = 37;  ///< the newest whose metrics are in the table
constexpr int kNoEnd = 99;          ///< still there in the newest
/// The oldest that is told apart by the names of its metrics.
constexpr int kOldestNamed = 16;

/// `1.24`, `v1.24.3`, `1.23-1.25` (its newest) to the minor number; nothing for anything else.
std::optional<int> ParseRelease(std::string_view text);

/// What the names of kube-scheduler's own metrics begin with.
inline constexpr std::string_view kOwnPrefix = "scheduler_";
/// A process that exposes one of the histograms which no other component has, of attempts (under
/// either name) or of their algorithm, is a kube-scheduler: a regular expression for the rest of
/// the names of their `_count` series.
inline constexpr std::string_view kOwnCounts =
    "(scheduling_attempt|e2e_scheduling|scheduling_algorithm)_duration_seconds_count";
/// What every process exposes of its size.
inline constexpr std::string_view kProcessMemory = "process_resident_memory_bytes";
inline constexpr std::string_view kGoGoroutines = "go_goroutines";

/// `job=~"a|b"` of the schedulers whose labels are given, each job once; empty when there are none
/// or one has no job, since then no matcher of jobs finds them all.
std::string JobMatcher(const std::vector<Labels>& schedulers);

/// Those that a diagnosis reads: kube-scheduler's, and its process's and client's; then the others.
/// The ids of metrics.txt, in its order: the build takes them from there.
enum class Metric {
#include "kube/metric_ids.inc"
  kCount,  ///< of a row that only `lint` reads
};

/// Of who stands around the scheduler; a name for readers.
using ControlPlaneMetric = Metric;

/// Whether a release has the gate on by default, in its newest patch.
bool OnByDefault(Gate gate, int minor);

/// What a metric looks like from release `since` until the next era.
struct MetricEra {
  int since = 0;
  std::vector<std::string_view> labels;         ///< in order of registration; empty: one series
  const std::vector<double>* bounds = nullptr;  ///< finite, ascending; empty of no histogram
};

/// A value that a label of a metric can have, from a release on.
struct LabelValue {
  std::string_view label, value;
  int since = kOldestRelease;
};

/// One metric. Releases are minor numbers of what the component is numbered by: Kubernetes 1.x,
/// etcd 3.x, kube-state-metrics 2.x (where -1 stands for 1.9).
struct MetricRow {
  Metric id = Metric::kCount;
  Component component = Component::kAny;
  std::string_view name;  ///< the family as scraped, counters with their `_total`
  MetricKind kind = MetricKind::kCounter;
  int first = 0;
  int last = kNoEnd;           ///< the last release that has it, hidden or not
  int hidden = kNoEnd;         ///< the first release that hides it by default
  std::string_view successor;  ///< its name, also in the table
  Gate gate = Gate::kNone;
  /// What a gauge is asked for over a range: "changes", "counter" (one by meaning), or itself.
  std::string_view reads;
  std::vector<MetricEra> eras;     ///< ascending; the first covers `first`, and what is before 1.18
  std::vector<LabelValue> values;  ///< of labels whose values are known, in their order
  /// HELP of the reference scheduler's output; empty for metrics that it does not export.
  std::string_view help;
};
using ControlPlaneMetricRow = MetricRow;

/// kube-scheduler's own, in the order of the enum.
std::span<const MetricRow> MetricTable();
/// All others: those with an id in the order of the enum, then the rest.
std::span<const MetricRow> ControlPlaneTable();

const MetricRow& RowOf(Metric metric);

/// kube-scheduler's by the name of a series, with or without _bucket, _sum, _count. Null for
/// metrics of others.
const MetricRow* FindMetric(std::string_view name);
/// The same of all others.
const MetricRow* FindControlPlaneMetric(std::string_view name);

std::string_view NameOf(Metric metric);
/// The names of a histogram's or summary's series.
std::string BucketOf(Metric metric);
std::string SumOf(Metric metric);
std::string CountOf(Metric metric);

/// The releases of a component that the table knows.
struct ComponentReleases {
  std::string_view prefix;  ///< of the minor number: "1.", "3.", "2."
  int oldest, newest;
};
ComponentReleases ReleasesOf(Component component);

/// The etcd that comes with Kubernetes 1.`minor`, and a kube-state-metrics of that time: what a
/// cluster of that release runs, as minor numbers of 3.x and 2.x.
int EtcdOf(int minor);
int KubeStateMetricsOf(int minor);

enum class Presence { kVisible, kHidden, kRemoved, kNotYet };

/// Whether a release of its component shows a metric by default settings (its gate taken as on).
Presence PresenceIn(const MetricRow& row, int minor);

/// The newest release that shows the metric by default; kNoEnd when none hides it.
int LastShown(const MetricRow& row);

/// Whether all releases from the oldest on show the metric.
bool AlwaysShown(const MetricRow& row);

/// What the metric looks like in a release; for a release without it, in the nearest one.
const MetricEra& EraIn(const MetricRow& row, int minor);

/// The row of its successor; null when it has none.
const MetricRow* SuccessorOf(const MetricRow& row);
/// The metric whose successor this is: its name in earlier releases. Null when it has none.
const MetricRow* PredecessorOf(const MetricRow& row);

/// The bounds in a release. Without a release: only when all releases from 1.19 on agree (1.18 is
/// too old to cast doubt), otherwise nothing.
std::vector<double> BoundsIn(const MetricRow& row, std::optional<int> minor);

/// Where a metric is visible: "all", "from 1.23", "up to 1.23; hidden in 1.24 to 1.26, gone in
/// 1.27", "1.32 to 1.36; hidden from 1.37", with its feature gate.
std::string ReleasesText(const MetricRow& row);

// Labels and their values, and what metrics were called before the oldest release of the table: for
// judging what people write in rules.

/// The metric's own labels in a release, `le` and `quantile` left out; without a release those of
/// any. Empty where it has none.
std::vector<std::string> LabelsIn(const MetricRow& row, std::optional<int> minor);

/// Every value that the label can have in a release (without one: in any). Empty where there is no
/// list of them (plugins, profiles, events), and for a label that the metric lacks.
std::vector<std::string> ValuesIn(const MetricRow& row, std::string_view label,
                                  std::optional<int> minor);

/// Whether a label that the metric lacks can only be taken for one of its own: none that a scrape
/// or a relabelling usually adds to a series is called so. Of the API server's clients these are
/// also the labels that one of their metrics has and another has not.
bool IsOnlyAMetricsLabel(const MetricRow& row, std::string_view label);

/// The label that stands in a release where another one has the label given; empty where the metric
/// never had that one, still has it, or got none in its place.
std::string LabelInPlaceOf(const MetricRow& row, std::string_view label, int minor);

/// The metric that took the place of one of before 1.18; empty for every other name. With or
/// without _bucket, _sum, _count.
std::optional<Metric> SuccessorOfOld(std::string_view name);

/// Whether a target's `job` may be one that kube-scheduler is scraped under: most setups call it
/// so, OpenShift `scheduler`.
bool MayBeSchedulersJob(std::string_view job);

/// The name of a metric that this one is likely meant to be: a series that the metric does not have
/// (the buckets of a counter), or a slip of one or two letters. Empty where no metric is near.
std::string NearestName(std::string_view name);

/// The tables of this folder (*.txt).
const std::vector<EmbeddedFile>& EmbeddedTables();

/// Hands over the words of each line of such a file; what begins with `#` comes as one word. Empty
/// lines and those of nothing but that are left out.
void ReadTable(std::string_view text,
               const std::function<void(const std::vector<std::string_view>& words)>& take);

// What may stand in a text that strangers read: words of Kubernetes, etcd and Prometheus, which
// every cluster has. What is not known here may name somebody's nodes, teams or customers.

/// Whether it is a series or family of these programs or of their client libraries.
bool IsPublicMetric(std::string_view name);

/// Whether it is a label that these programs, Prometheus or its usual configuration give.
bool IsPublicLabel(std::string_view name);

/// Whether the value says nothing of its own in this label: a number in one of numbers, a known
/// word in one of words. Labels whose values are names (node, pod, instance, an unknown one) have
/// none.
bool IsPublicValue(std::string_view label, std::string_view value);

/// Whether it is a word of Kubernetes, whatever stands around it: a part of an API's path.
bool IsPublicWord(std::string_view word);

/// Whether the label's values are versions: digits and points in front are public.
bool IsVersionLabel(std::string_view label);

}  // namespace schedlens::kube
