#ifndef SCHEDLENS_STATS_POOLED_BUCKETS_H_
#define SCHEDLENS_STATS_POOLED_BUCKETS_H_

// Several histograms added up.

#include <cstddef>
#include <span>
#include <vector>

#include "stats/scrape_increases.h"

namespace schedlens {

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

#endif  // SCHEDLENS_STATS_POOLED_BUCKETS_H_
