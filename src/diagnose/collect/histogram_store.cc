#include "diagnose/collect/histogram_store.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "base/series.h"

namespace schedlens {
namespace {

/// A counter as a histogram of one bucket: births, resets and window edges are treated alike.
HistogramSeries AsHistogram(const Series& series) {
  HistogramSeries out;
  out.labels = series.labels;
  out.bounds = {INFINITY};
  for (const Sample& sample : series.samples) {
    if (std::isnan(sample.v)) continue;
    out.times.push_back(sample.t);
    out.cumulative.push_back(sample.v);
    out.sums.push_back(sample.v);
    out.counts.push_back(sample.v);
  }
  return out;
}

/// Children of a family that has no buckets, only `_sum` and `_count`: all of their observations
/// are in the one bucket that ends at +Inf. Sums still add up.
std::vector<HistogramSeries> WithoutBuckets(const std::vector<Series>& answer,
                                            const std::string& family) {
  const std::string sum = family + "_sum", count = family + "_count";
  std::map<Labels, std::map<TimeMs, double>> sums;
  for (const Series& series : answer) {
    if (series.labels.Get(kMetricName) != sum) continue;
    auto& values = sums[series.labels.Without(kMetricName)];
    for (const Sample& sample : series.samples) values[sample.t] = sample.v;
  }
  std::vector<HistogramSeries> out;
  for (const Series& series : answer) {
    if (series.labels.Get(kMetricName) != count) continue;
    HistogramSeries child = AsHistogram(series);
    child.labels = series.labels.Without(kMetricName);
    const auto& values = sums[child.labels];
    for (std::size_t i = 0; i < child.times.size(); ++i) {
      const auto at = values.find(child.times[i]);
      child.sums[i] = at == values.end() ? NAN : at->second;
    }
    out.push_back(std::move(child));
  }
  return out;
}

}  // namespace

HistogramFacts GroupByTarget(const std::vector<Series>& series, std::span<const Target> targets) {
  HistogramFacts out;
  const TargetIndex index(targets);
  std::set<std::string> families;
  for (const Series& one : series) {
    std::string family = FamilyOf(one.labels.Get(kMetricName));
    if (out.family.empty()) out.family = family;
    families.insert(std::move(family));
  }
  for (const std::string& family : families) {
    GroupedHistograms grouped = GroupHistograms(series, family);
    std::move(grouped.warnings.begin(), grouped.warnings.end(), std::back_inserter(out.warnings));
    if (grouped.children.empty()) grouped.children = WithoutBuckets(series, family);
    for (HistogramSeries& child : grouped.children) {
      const auto target = index.Find(child.labels);
      if (!target) continue;
      child.target = *target;
      out.Add(std::move(child));
    }
  }
  return out;
}

void HistogramFacts::Add(HistogramSeries child) {
  if (of_target.size() <= child.target) of_target.resize(child.target + 1);
  of_target[child.target].push_back(children.size());
  children.push_back(std::move(child));
}

std::span<const std::size_t> HistogramFacts::Of(std::size_t target) const {
  if (target >= of_target.size()) return {};
  return of_target[target];
}

HistogramFacts HistogramOf(const Facts& facts, std::string_view question) {
  return GroupByTarget(facts.Of(question), facts.targets);
}

ScrapeIncreases IncreasesIn(const HistogramSeries& child, const Target& target,
                            const TimeRange& window) {
  return IncreasesBetweenScrapes(child, target.scrapes, window, target.starts);
}

std::vector<ScrapeIncreases> CellsOf(const HistogramFacts& histogram,
                                     std::span<const Target> targets, const TimeRange& window) {
  std::vector<ScrapeIncreases> out;
  for (const HistogramSeries& child : histogram.children) {
    ScrapeIncreases cells = IncreasesIn(child, targets[child.target], window);
    if (cells.cells() > 0) out.push_back(std::move(cells));
  }
  return out;
}

std::vector<CounterIncrease> IncreasesOf(const Facts& facts, std::string_view question,
                                         const TimeRange& window, const WantedLabels& want) {
  const TargetIndex index(facts.targets);
  std::vector<CounterIncrease> out;
  for (const Series& series : facts.Of(question)) {
    if (!want(series.labels)) continue;
    const auto target = index.Find(series.labels);
    if (!target) continue;
    out.push_back({series.labels,
                   TotalSum(IncreasesIn(AsHistogram(series), facts.targets[*target], window))});
  }
  return out;
}

}  // namespace schedlens
