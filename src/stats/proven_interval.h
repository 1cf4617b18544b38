#ifndef SCHEDLENS_STATS_PROVEN_INTERVAL_H_
#define SCHEDLENS_STATS_PROVEN_INTERVAL_H_

// Where the true quantile of a window must lie: the ceil(q n)-th smallest of its n observations.
// Every child and every scrape interval is bounded by itself (stats/cell_bounds.h) and the bounds
// are added up: they are independent, so the result is sharp given all the data.

#include <span>
#include <string>
#include <vector>

#include "contract/quantile.h"
#include "schedlens/estimate.h"
#include "stats/cell_bounds.h"
#include "stats/scrape_increases.h"

namespace schedlens {

/// ceil(q n), but q n within rounding of a whole number is that number: q = 0.07 of 100 is the
/// seventh. At least 1, at most n.
double RankOf(double q, double n);

/// RankOf where n is a whole number; where counts are fractions, q n itself.
double RankAmong(double q, double n);

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
