#pragma once

// Which scheduler processes the samples are from, and everything a diagnosis knows, as it was
// answered.

#include <map>
#include <unordered_map>

#include "contract/diagnosis.h"
#include "stats/scrape_increases.h"

namespace schedlens {

/// One scraped scheduler: a process, and those that took its place under the same name.
struct Target {
  Labels id;  ///< its NameLabels; all its labels where another target has the same ones
  std::vector<TimeMs> scrapes;    ///< when any of its series has a sample, ascending
  std::vector<TimeMs> starts;     ///< process starts, ascending; empty where unknown
  std::vector<Labels> processes;  ///< the labels of each process; `id` alone when empty

  /// Process starts after the first scrape.
  std::vector<TimeMs> restarts() const;
};

/// Labels that tell the measurements of one process apart, the metric's name and `le` among them.
const std::vector<std::string>& MeasurementLabels();

/// The process that a scheduler's own series is of: its labels without MeasurementLabels.
Labels ProcessOf(const Labels& labels);

/// The labels by which people name a scheduler: cluster, job, instance, pod, whichever it has.
Labels NameLabels(const Labels& labels);

/// Whether a histogram's series counts all of its observations: `_count`, and the last bucket.
bool CountsAll(const Labels& labels);

/// The targets that expose these series, sorted by id. Processes of the same name are one target
/// when each appears only after the one before it has ended (a restart that changes other labels).
std::vector<Target> TargetsOf(std::span<const Series* const> own);

/// Finds targets by their names, in time that does not grow with how many there are. The targets
/// must outlive it; their ids and processes must stay as they are.
class TargetIndex {
 public:
  explicit TargetIndex(std::span<const Target> targets);

  /// The target that a series of any metric is of: it has the target's name, and no label of the
  /// series contradicts those of one of the target's processes. Nothing when that fits no target,
  /// or several equally well.
  std::optional<std::size_t> Find(const Labels& labels) const;

 private:
  std::span<const Target> targets_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
};

/// Adds the times of each series to its target's scrapes, and process start times to its starts. A
/// series of no target adds nothing.
void AddToTargets(std::span<const Series> all, std::vector<Target>* targets);

// Everything a diagnosis knows, as it was answered: raw samples by question, and which scheduler
// processes they came from. Conclusions are drawn elsewhere.

struct AnsweredQuestions {
  std::map<std::string, std::vector<Series>> answers;  ///< absent when nothing answered
  std::vector<AskedQuery> queries;
  std::vector<Message> warnings;

  /// The samples that answered a question; empty when nothing did.
  const std::vector<Series>& Of(std::string_view question) const;
  bool Has(std::string_view question) const { return !Of(question).empty(); }
};

/// No process has answered since its last scrape, while others are scraped.
struct Silence {
  TimeMs since = 0, until = 0;
  bool down = false;  ///< `up` is 0; else they are no longer known as targets
};

struct Facts : AnsweredQuestions {
  TimeRange fetched;
  std::string selector;            ///< as given, or found from what exposes the metrics
  std::string given_selector;      ///< as given; empty where all schedulers were looked for
  std::vector<Target> targets;     ///< sorted by id
  std::optional<Silence> silence;  ///< at the end of what was asked for, a minute and more
  /// What a later alternative answered for a target that an earlier one already serves: the same
  /// attempts under an older name. It narrows proofs and is counted nowhere.
  std::vector<Series> superseded;
};

/// Asks every question of the set but `alert` and `e2e` for the raw samples of `range`. Of the
/// alternatives of a question each target keeps the first it answers, so replicas of different
/// releases mix safely; a process that is scraped twice is kept once. Without a selector the
/// schedulers' own metrics are asked first, and what exposes them is the selector of the rest.
/// Throws what the source throws.
Facts Collect(Source& source, const QuerySet& queries, const std::string& selector,
              const TimeRange& range);

/// Median time between scrapes, or between the samples of a series; 0 of fewer than two.
TimeMs ScrapeInterval(const std::vector<TimeMs>& scrapes);
TimeMs SampleInterval(const Series& series);

/// From the first to the last scrape of any target; ends before it starts where there is no target.
TimeRange ScrapedRange(const Facts& facts);
/// The same, and on to the end of their silence.
TimeRange WatchedRange(const Facts& facts);

// One process that is scraped twice: by both replicas of an HA pair of Prometheus whose store does
// not deduplicate, or by two jobs. Every attempt would count twice.

/// Leaves out the targets that are duplicates, with all of their series, and warns by name; of two
/// the one with more scrapes stays, else the first. Two targets are one process when no label names
/// them apart (cluster, pod, or instance of one job), they have a process start in common where
/// both have any, and each one's counts of attempts lie between the other's before and after.
/// Without start times the counts must have moved often enough for that to be no chance.
void DropDuplicates(Facts* facts);

// The samples of a question as typed histograms, by process and label set, and the one place where
// increases between scrapes are taken from them; their time axis, and who led when.

/// One classic histogram, grouped by target and label set. A family without any bucket has one, up
/// to +Inf, of its counts.
struct HistogramFacts {
  std::string family;                     ///< of the first series; empty when absent
  std::vector<HistogramSeries> children;  ///< of known targets only, sorted by family and labels
  std::vector<std::vector<std::size_t>> of_target;  ///< numbers of each target's children
  std::vector<Message> warnings;                    ///< about its samples

  /// Appends a child of the target that it names.
  void Add(HistogramSeries child);
  /// The numbers of a target's children, ascending.
  std::span<const std::size_t> Of(std::size_t target) const;
};

/// Histograms in hand and the targets they are of; both must outlive the view.
struct StoreView {
  std::span<const Target> targets;
  std::vector<const HistogramFacts*> histograms;
};

/// Groups raw samples (`_bucket`, `_sum`, `_count` of one family or several, of which each target
/// has one).
HistogramFacts GroupByTarget(const std::vector<Series>& series, std::span<const Target> targets);

/// The histogram that answers a question.
HistogramFacts HistogramOf(const Facts& facts, std::string_view question);

/// Exact increases of one child between the scrapes around `window`.
ScrapeIncreases IncreasesIn(const HistogramSeries& child, const Target& target,
                            const TimeRange& window);

/// Exact increases of every child between the scrapes around `window`, target by target. Children
/// without a cell in it are left out.
std::vector<ScrapeIncreases> CellsOf(const HistogramFacts& histogram,
                                     std::span<const Target> targets, const TimeRange& window);

/// Exact increases of counters without buckets (also `_sum` and `_count` series), by label set, of
/// the series whose labels `want` accepts.
struct CounterIncrease {
  Labels labels;
  double increase = 0;
};
using WantedLabels = std::function<bool(const Labels&)>;
std::vector<CounterIncrease> IncreasesOf(
    const Facts& facts, std::string_view question, const TimeRange& window,
    const WantedLabels& want = [](const Labels&) { return true; });
/// All of them added up; nothing without a series.
std::optional<double> TotalIncrease(
    const Facts& facts, std::string_view question, const TimeRange& window,
    const WantedLabels& want = [](const Labels&) { return true; });

// A common time axis for several schedulers: the scrapes of the busiest one, merged.

/// Edges of at most `most` columns over `range`, taken from the scrapes of the target with the most
/// attempts. Fewer than two edges when there is nothing to show.
std::vector<TimeMs> ColumnEdges(const Facts& facts, const std::vector<ScrapeIncreases>& attempt,
                                const TimeRange& range, std::size_t most);

/// The column that a cell ending at `end` belongs to; the first or last one when it lies outside.
std::size_t ColumnOf(const std::vector<TimeMs>& edges, TimeMs end);

// Which replica scheduled when. Only the leader schedules, so its counts tell a failover; the
// election's own metric says so too where it is scraped.

/// The attempts that one target finished, and the scrapes around the first and the last of them.
struct WorkOfTarget {
  std::size_t target = 0;
  TimeMs first = 0, last = 0;
  double attempts = 0;
};
/// Of the targets that finished any, in the order in which they began to.
std::vector<WorkOfTarget> WorkOfTargets(const std::vector<ScrapeIncreases>& attempt);

/// One sentence for each change of the leader inside the window, for replicas that schedule at the
/// same time, and for each time `leader_election_master_status` changed hands. Empty when one
/// process did all the work. `attempt` are the attempts' cells of the window.
std::vector<Message> LeadershipNotes(const Facts& facts,
                                     const std::vector<ScrapeIncreases>& attempt,
                                     const TimeRange& window);

}  // namespace schedlens
