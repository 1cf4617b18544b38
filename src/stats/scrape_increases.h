#ifndef SCHEDLENS_STATS_SCRAPE_INCREASES_H_
#define SCHEDLENS_STATS_SCRAPE_INCREASES_H_

// Exact increases of a classic histogram from scrape to scrape: the form in which every bound of
// this tool starts (per series, before any aggregation).

#include <cstddef>
#include <span>
#include <vector>

#include "contract/series.h"
#include "stats/histogram_series.h"

namespace schedlens {

/// Increases of one child between consecutive scrapes. Cell i covers (edges[i], edges[i + 1]].
struct ScrapeIncreases {
  Labels labels;
  std::string family;  // family and target as in HistogramSeries
  std::size_t target = 0;
  std::vector<double> bounds;
  std::vector<TimeMs> edges;    // cells() + 1
  std::vector<double> buckets;  // cells() rows of bounds.size(): observations *inside* each bucket
  std::vector<double> sums;     // per cell; NaN where unknown
  std::vector<bool> reset;  // per cell: a counter reset lies in it (what ended before it is lost)
  // No two scrapes were whole: the counts are raised to a running maximum and prove nothing.
  bool torn = false;
  std::vector<double>
      raw_upto;              // torn only: increase at each bound as a server's increase() adds it
  std::size_t left_out = 0;  // scrapes of the window that were not used, or all when torn
  // The counters themselves at each edge (empty when made by hand): equal counts of two histograms
  // since process start prove one population, and the sum's size limits its rounding.
  std::vector<double> count_at;
  std::vector<double> sum_at;

  std::size_t cells() const { return sums.size(); }
  std::span<const double> Buckets(std::size_t i) const {
    return {buckets.data() + i * bounds.size(), bounds.size()};
  }
  /// Observations of a cell, all buckets.
  double Count(std::size_t i) const;
};

/// The cells between the last scrape at or before `window.start` and the last at or before
/// `window.end`. `scrapes` are the times at which this child's target was scraped at all: a child
/// that first appears after the target's first scrape started at zero in the same process, so its
/// first value is an increase since the scrape before. `restarts` are process starts (times from
/// `process_start_time_seconds`): a cell with one inside is a reset even when no count fell.
/// A total that falls is a reset; so is any other count that does where `restarts` is empty. A
/// scrape that cannot be one histogram (see WholeRow), or that holds fewer observations of some
/// bucket than the one before it, is left out; where that leaves no cell, all are kept, raised to a
/// running maximum, and `torn` is set.
ScrapeIncreases IncreasesBetweenScrapes(const HistogramSeries& series,
                                        std::span<const TimeMs> scrapes, const TimeRange& window,
                                        std::span<const TimeMs> restarts = {});

/// The cells that lie inside the range; none when no whole cell does.
ScrapeIncreases CellsInside(const ScrapeIncreases& cells, const TimeRange& range);

/// All cells of a child added up: one row of buckets.
std::vector<double> TotalBuckets(const ScrapeIncreases& cells);
double TotalCount(const ScrapeIncreases& cells);
/// NaN if any cell's sum is unknown.
double TotalSum(const ScrapeIncreases& cells);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_SCRAPE_INCREASES_H_
