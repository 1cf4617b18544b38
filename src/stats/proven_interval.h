#ifndef SCHEDLENS_STATS_PROVEN_INTERVAL_H_
#define SCHEDLENS_STATS_PROVEN_INTERVAL_H_

// Where the true quantile of a window must lie: the ceil(q n)-th smallest of its n observations.
// Every child and every scrape interval is bounded by itself (stats/cell_bounds.h) and the bounds
// are added up: they are independent, so the result is sharp given all the data.

#include <span>
#include <string>
#include <vector>

#include "schedlens/estimate.h"
#include "stats/cell_bounds.h"
#include "stats/histogram_series.h"

namespace schedlens {

/// Bounds of one rank, and the bucket in which the rank lies.
struct ProvenRank {
  Interval bucket;        ///< from the bounds alone; an open end is absent
  double in_bucket = 0;   ///< observations in it (the most possible when layouts differ)
  double below = 0;       ///< observations below it (the least possible when layouts differ)
  Interval interval;      ///< within `bucket`, narrowed by the sums
  bool narrowed = false;  ///< the sums did narrow it, by at least 0.1 % of its width
};

/// A quantile's rank and bounds, with what made them as wide or narrow as they are.
struct ProvenQuantile {
  double observations = 0;
  double rank = 0;  ///< ceil(q n), at least 1; q n itself when counts are fractions
  ProvenRank proof;
  std::string basis;                  ///< "buckets" or "per-scrape sums"; empty without data
  std::vector<std::string> reasons;   ///< repairs, fallbacks, knife edge, open bucket
  std::vector<std::string> narrower;  ///< what would narrow it
};

/// ceil(q n), but q n within rounding of a whole number is that number: q = 0.07 of 100 is the
/// seventh. At least 1, at most n.
double RankOf(double q, double n);

/// Children may differ in layout; then each is bracketed by itself. The proof is empty (bucket and
/// interval without ends) when there is no observation, a count is not finite, a child is torn or
/// lacks its +Inf bucket, or the rank is not within 1..n.
ProvenRank ProveRank(std::span<const ScrapeIncreases> children, double rank);

/// q within [0, 1]; outside it (or NaN), without data, and where a child is torn, the proof is
/// empty and a reason says so.
ProvenQuantile ProveQuantile(std::span<const ScrapeIncreases> children, double q);

/// Bounds of the number of observations above x, all children. Exact where x is a bound of each.
CountBounds CountAbove(const ScrapeIncreases& cells, double x);
CountBounds CountAbove(std::span<const ScrapeIncreases> children, double x);

/// Every bound of any child, ascending, +Inf last.
std::vector<double> UnionOfBounds(std::span<const ScrapeIncreases> children);
bool SameLayout(std::span<const ScrapeIncreases> children);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_PROVEN_INTERVAL_H_
