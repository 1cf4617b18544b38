#include "analysis/tail/overlap.h"

#include <algorithm>
#include <cmath>

namespace schedlens {
namespace {

/// Observations over bounds[b].
double Above(const std::vector<double>& buckets, std::size_t b) {
  double n = 0;
  for (std::size_t i = b + 1; i < buckets.size(); ++i) n += buckets[i];
  return n;
}

/// Observations that may lie in (low, bounds[b]]: every bucket that reaches over `low`.
double Between(const OverlapCounts& counts, const std::vector<double>& buckets, double low,
               std::size_t b) {
  double n = 0;
  for (std::size_t i = 0; i <= b; ++i) {
    if (counts.bounds[i] > low) n += buckets[i];
  }
  return n;
}

}  // namespace

double MostSlowInTail(const OverlapCounts& counts, std::size_t bound, double m) {
  const double t = counts.bounds[bound];
  const double stage = Above(counts.stage, bound);
  if (!std::isfinite(t) || std::isnan(counts.rest_seconds)) return std::min(m, stage);
  const double other = Above(counts.other, bound), e2e = Above(counts.e2e, bound);
  const double both = stage + other - e2e + Between(counts, counts.stage, t / 4, bound) +
                      Between(counts, counts.other, t / 4, bound) +
                      std::floor(2 * counts.rest_seconds / t) + counts.running;
  const double other_in_tail = other - std::max(0.0, e2e - m) - counts.running;
  return std::clamp(m - std::max(0.0, other_in_tail) + std::max(0.0, both), 0.0,
                    std::min(m, stage + counts.running));
}

}  // namespace schedlens
