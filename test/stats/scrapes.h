#pragma once

// A small histogram as it was scraped.

#include <string>
#include <utility>
#include <vector>

#include "base/series.h"

namespace schedlens {

inline Series Make(const std::string& name, const std::string& le, std::vector<Sample> samples) {
  std::vector<Labels::Pair> pairs = {{"__name__", name}, {"job", "kube-scheduler"}};
  if (!le.empty()) pairs.emplace_back("le", le);
  return {Labels(pairs), std::move(samples), {}};
}

/// Three scrapes 5 s apart of a two-bucket histogram.
inline std::vector<Series> ThreeScrapes() {
  return {Make("x_bucket", "0.1", {{5000, 1}, {10000, 3}, {15000, 3}}),
          Make("x_bucket", "+Inf", {{5000, 1}, {10000, 4}, {15000, 6}}),
          Make("x_sum", "", {{5000, 0.05}, {10000, 1.05}, {15000, 3.05}}),
          Make("x_count", "", {{5000, 1}, {10000, 4}, {15000, 6}})};
}

}  // namespace schedlens
