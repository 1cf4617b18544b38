#pragma once

// The samples of a question as typed histograms, by process and label set, and the one place where
// increases between scrapes are taken from them.

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

}  // namespace schedlens
