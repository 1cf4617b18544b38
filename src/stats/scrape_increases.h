#pragma once

// Classic histograms as they were scraped, per series, and their exact increases from scrape to
// scrape: the form in which every bound of this tool starts (before any aggregation).

#include "base/message.h"

namespace schedlens {

/// One histogram child (one label set without `le`): cumulative counts at each scrape that has all
/// of its buckets. A scrape where a bucket is missing is left out. Where a release changed the
/// bounds, it is of those that are there before and after.
struct HistogramSeries {
  Labels labels;                   // without __name__ and le
  std::string family;              // the metric's name without _bucket; may be empty
  std::size_t target = 0;          // which of the caller's scraped processes it is of
  std::vector<double> bounds;      // ascending; +Inf last unless the data lacks it
  std::vector<TimeMs> times;       // ascending
  std::vector<double> cumulative;  // times.size() rows of bounds.size()
  std::vector<double> sums;        // NaN where `_sum` has no sample at that time
  std::vector<double> counts;      // `_count`, NaN likewise

  std::span<const double> Row(std::size_t i) const {
    return {cumulative.data() + i * bounds.size(), bounds.size()};
  }
};

struct GroupedHistograms {
  std::vector<HistogramSeries> children;  ///< sorted by labels
  std::vector<Message> warnings;          ///< one for each oddity: a bad `le`, a torn scrape
};

/// Groups the samples of FAMILY_bucket, _sum and _count by label set. `le` is read as a number and
/// equal bounds are added. Series of other names are ignored.
GroupedHistograms GroupHistograms(std::span<const Series> series, std::string_view family);

/// Whether cumulative counts can be those of one histogram: not negative, below 2^53, never
/// falling from one bound to the next.
bool WholeRow(std::span<const double> cumulative);

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
  std::vector<double> raw_upto;  // torn: increase at each bound as a server's increase() adds it
  std::size_t left_out = 0;      // scrapes of the window that were not used, or all when torn
  double counted_twice = 0;      // observations, by an increase() that takes steps back for resets
  // The counters themselves at each edge (empty when made by hand): equal counts of two histograms
  // since process start prove one population, and the sum's size limits its rounding.
  std::vector<double> count_at, sum_at;

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
/// bucket than the one before it, is left out, and so are up to two in a row that fall back where
/// no process started: a querier answered from a replica that is behind (`counted_twice`); where
/// that leaves no cell, all are kept, raised to a running maximum, and `torn` is set.
ScrapeIncreases IncreasesBetweenScrapes(const HistogramSeries& series,
                                        std::span<const TimeMs> scrapes, const TimeRange& window,
                                        std::span<const TimeMs> restarts = {});

/// The cells that lie inside the range; none when no whole cell does.
ScrapeIncreases CellsInside(const ScrapeIncreases& cells, const TimeRange& range);

/// All cells of a child added up: one row of buckets.
std::vector<double> TotalBuckets(const ScrapeIncreases& cells);
double TotalCount(const ScrapeIncreases& cells);
double TotalCount(std::span<const ScrapeIncreases> children);
/// NaN if any cell's sum is unknown.
double TotalSum(const ScrapeIncreases& cells);

/// Observations of all histograms at or below each bound that all of them have, and +Inf. At the
/// other bounds nobody knows the count of the whole: histograms of different layouts leave wider
/// buckets, not wrong ones.
struct PooledBuckets {
  std::vector<double> bounds;  ///< ascending, +Inf last; empty without a histogram
  std::vector<double> cumulative;

  double count() const { return cumulative.empty() ? 0 : cumulative.back(); }
  /// The bucket of the ceil(q n)-th smallest observation; the first one without observations. There
  /// must be a bound, and q must be within [0, 1].
  std::size_t BucketOf(double q) const;
  /// Its lower edge; 0 for the first.
  double LowerEdge(std::size_t bucket) const { return bucket == 0 ? 0 : bounds[bucket - 1]; }
  /// The quantile as histogram_quantile gives it: linear inside the bucket, the open bucket's lower
  /// edge. NaN without observations.
  double Interpolate(double q) const;
};

PooledBuckets PoolBuckets(std::span<const ScrapeIncreases* const> children);
PooledBuckets PoolBuckets(std::span<const ScrapeIncreases> children);

}  // namespace schedlens
