#pragma once

// Classic histograms as a Prometheus with `convert_classic_histograms_to_nhcb` stores them.

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/series.h"
#include "base/text.h"

namespace schedlens::test {

/// The series with all classic histograms as native ones with custom buckets: empty buckets are
/// left out, the first one begins at zero.
inline std::vector<Series> Folded(const std::vector<Series>& classic) {
  struct Child {
    std::map<TimeMs, std::map<double, double>> upto;  // by bound
    std::map<TimeMs, double> sums;
    std::map<TimeMs, double> counts;
  };
  std::map<Labels, Child> children;
  const auto family = [](const Series& series, std::string_view suffix) {
    const std::string_view name = series.labels.Get(kMetricName);
    return name.ends_with(suffix) ? std::string(name.substr(0, name.size() - suffix.size())) : "";
  };
  for (const Series& series : classic) {
    const std::string name = family(series, "_bucket");
    if (name.empty() || !series.labels.Has("le")) continue;
    Child& child = children[series.labels.Without("le").With(kMetricName, name)];
    const double bound = *ParseNumber(series.labels.Get("le"));
    for (const Sample& sample : series.samples) child.upto[sample.t][bound] = sample.v;
  }
  std::vector<Series> out;
  for (const Series& series : classic) {
    if (!family(series, "_bucket").empty() && series.labels.Has("le")) continue;
    const auto take = [&](const std::string& name, std::map<TimeMs, double> Child::*member) {
      const auto child = children.find(series.labels.With(kMetricName, name));
      if (name.empty() || child == children.end()) return false;
      for (const Sample& sample : series.samples) (child->second.*member)[sample.t] = sample.v;
      return true;
    };
    if (take(family(series, "_sum"), &Child::sums)) continue;
    if (take(family(series, "_count"), &Child::counts)) continue;
    out.push_back(series);
  }
  for (const auto& [labels, child] : children) {
    Series native{labels, {}, {}};
    for (const auto& [t, upto] : child.upto) {
      NativeHistogram histogram{child.counts.at(t), child.sums.at(t), {}};
      double lower = 0;
      double below = 0;
      for (const auto& [bound, count] : upto) {
        if (count > below) histogram.buckets.push_back({lower, bound, count - below, 0});
        lower = bound;
        below = count;
      }
      native.histograms.push_back({t, std::move(histogram)});
    }
    out.push_back(std::move(native));
  }
  return out;
}

}  // namespace schedlens::test
