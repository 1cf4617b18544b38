#pragma once

// The samples of a question as typed histograms, by process and label set, and the one place where
// increases between scrapes are taken from them; their time axis, and who led when.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "diagnose/collect/facts.h"
#include "stats/scrape_increases.h"

namespace schedlens {

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

// A common time axis for several schedulers: the scrapes of the busiest one, merged.

/// Edges of at most `most` columns over `range`, taken from the scrapes of the target with the most
/// attempts. Fewer than two edges when there is nothing to show.
std::vector<TimeMs> ColumnEdges(const Facts& facts, const std::vector<ScrapeIncreases>& attempt,
                                const TimeRange& range, std::size_t most);

/// The column that a cell ending at `end` belongs to; the first or last one when it lies outside.
std::size_t ColumnOf(const std::vector<TimeMs>& edges, TimeMs end);

// Which replica scheduled when. Only the leader schedules, so its counts tell a failover; the
// election's own metric says so too where it is scraped.

/// One sentence for each change of the leader inside the window, for replicas that schedule at the
/// same time, and for each time `leader_election_master_status` changed hands. Empty when one
/// process did all the work. `attempt` are the attempts' cells of the window.
std::vector<Message> LeadershipNotes(const Facts& facts,
                                     const std::vector<ScrapeIncreases>& attempt,
                                     const TimeRange& window);

}  // namespace schedlens
