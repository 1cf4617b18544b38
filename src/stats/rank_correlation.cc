#include "stats/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace schedlens {
namespace {

std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k) ranks[order[k]] = static_cast<double>(i + j - 1) / 2;
    i = j;
  }
  return ranks;
}

}  // namespace

double RankCorrelation(const std::vector<double>& a, const std::vector<double>& b,
                       std::size_t least) {
  if (a.size() < std::max<std::size_t>(2, least)) return 0;
  const std::vector<double> x = Ranks(a), y = Ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace schedlens
