#ifndef SCHEDLENS_ANALYSIS_COLLECT_FACTS_H_
#define SCHEDLENS_ANALYSIS_COLLECT_FACTS_H_

// Everything a diagnosis knows, as it was answered: raw samples by question, and which scheduler
// processes they came from. Conclusions are drawn elsewhere.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "contract/query.h"
#include "contract/source.h"
#include "stats/histogram_series.h"

namespace schedlens {

/// One scraped scheduler.
struct Target {
  Labels id;                     ///< cluster, job, instance, pod: whichever it has
  std::vector<TimeMs> scrapes;   ///< when any of its series has a sample
  std::vector<TimeMs> restarts;  ///< process starts after the first scrape
};

struct Facts {
  TimeRange fetched;
  std::string selector;         ///< as given, or found from what exposes the metrics
  std::vector<Target> targets;  ///< sorted by id
  std::map<std::string, std::vector<Series>>
      answers;  ///< by question; absent when nothing answered
  std::vector<AskedQuery> queries;
  std::vector<std::string> warnings;

  /// The samples that answered a question; empty when nothing did.
  const std::vector<Series>& Of(std::string_view question) const;
  bool Has(std::string_view question) const { return !Of(question).empty(); }
};

/// The labels that name a target rather than a measurement.
Labels TargetId(const Labels& labels);

/// Asks every question of the set but `alert` for the raw samples of `range`. Of the alternatives
/// of a question each target keeps the first it answers, so replicas of different releases mix
/// safely. Without a selector the schedulers' own metrics are asked first, and what exposes them is
/// the selector of the rest. Throws what the source throws.
Facts Collect(Source& source, const QuerySet& queries, const std::string& selector,
              const TimeRange& range);

/// From the first to the last scrape of any target; ends before it starts where there is no target.
TimeRange ScrapedRange(const Facts& facts);

/// A classic histogram of the facts, grouped by label set, with its family's name. A family without
/// any bucket has one, up to +Inf, of its counts.
struct HistogramFacts {
  std::string family;  ///< of the first target that has it; empty when absent
  std::vector<HistogramSeries> children;
};
HistogramFacts HistogramOf(const Facts& facts, std::string_view question,
                           std::vector<std::string>* warnings);

/// Exact increases of every child between the scrapes around `window`, target by target.
std::vector<ScrapeIncreases> CellsOf(const HistogramFacts& histogram, const Facts& facts,
                                     const TimeRange& window);

/// Exact increases of counters without buckets (also `_sum` and `_count` series), by label set.
struct CounterIncrease {
  Labels labels;
  double increase = 0;
};
std::vector<CounterIncrease> IncreasesOf(const Facts& facts, std::string_view question,
                                         const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_COLLECT_FACTS_H_
