// What a server shows.

#include <map>

#include "analysis/quantile/quantile.h"

namespace schedlens {
namespace {

std::vector<Bucket> SumByLe(std::span<const ScrapeIncreases> children) {
  std::map<double, double> summed;
  for (const ScrapeIncreases& child : children) {
    for (std::size_t b = 0; b < child.raw_upto.size(); ++b) {
      summed[child.bounds[b]] += child.raw_upto[b];
    }
    if (child.torn) continue;
    double upto = 0;
    const std::vector<double> total = TotalBuckets(child);
    for (std::size_t b = 0; b < total.size(); ++b) {
      upto += total[b];
      summed[child.bounds[b]] += upto;
    }
  }
  std::vector<Bucket> buckets;
  for (const auto& [bound, count] : summed) buckets.push_back({bound, count});
  return buckets;
}

}  // namespace

ClassicQuantile ServerQuantile(std::span<const ScrapeIncreases> children, double q,
                               const Semantics& semantics) {
  return QuantileOfBuckets(q, SumByLe(children), semantics);
}

}  // namespace schedlens
