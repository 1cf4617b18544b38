#include "stats/pooled_buckets.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace schedlens {
namespace {

/// The finite bounds that all have.
std::vector<double> CommonBounds(std::span<const ScrapeIncreases* const> children) {
  std::vector<double> common = children.front()->bounds;
  for (const ScrapeIncreases* child : children.subspan(1)) {
    if (child->bounds == common) continue;
    std::vector<double> both;
    std::set_intersection(common.begin(), common.end(), child->bounds.begin(), child->bounds.end(),
                          std::back_inserter(both));
    common = std::move(both);
  }
  std::erase_if(common, [](double bound) { return std::isinf(bound); });
  return common;
}

}  // namespace

PooledBuckets PoolBuckets(std::span<const ScrapeIncreases* const> children) {
  PooledBuckets out;
  if (children.empty()) return out;
  out.bounds = CommonBounds(children);
  out.bounds.push_back(std::numeric_limits<double>::infinity());
  std::vector<double> inside(out.bounds.size(), 0.0);
  for (const ScrapeIncreases* child : children) {
    const std::vector<double> total = TotalBuckets(*child);
    std::size_t to = 0;
    for (std::size_t b = 0; b < total.size(); ++b) {
      while (out.bounds[to] < child->bounds[b]) ++to;
      inside[to] += total[b];
    }
  }
  double below = 0;
  for (const double n : inside) out.cumulative.push_back(below += n);
  return out;
}

PooledBuckets PoolBuckets(std::span<const ScrapeIncreases> children) {
  std::vector<const ScrapeIncreases*> pointers;
  for (const ScrapeIncreases& child : children) pointers.push_back(&child);
  return PoolBuckets(pointers);
}

std::size_t PooledBuckets::BucketOf(double q) const {
  // q n within rounding of a whole number is that number.
  const double rank = std::ceil(q * count() - 1e-9);
  const auto it = std::lower_bound(cumulative.begin(), cumulative.end(), rank);
  return std::min(static_cast<std::size_t>(it - cumulative.begin()), bounds.size() - 1);
}

double PooledBuckets::Interpolate(double q) const {
  if (!(count() > 0)) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t b = BucketOf(q);
  const double lower = LowerEdge(b);
  if (std::isinf(bounds[b])) return lower;
  const double below = b == 0 ? 0 : cumulative[b - 1];
  return lower + (bounds[b] - lower) * (q * count() - below) / (cumulative[b] - below);
}

}  // namespace schedlens
