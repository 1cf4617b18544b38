#include "analysis/breakdown/composed_attempts.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

namespace schedlens {
namespace {

using kube::ExtensionPoint;

/// One target's counters, added over children, at each time.
using Counter = std::map<TimeMs, double>;

struct Counters {
  Labels labels;  // of the first child
  Counter seconds, count;
};

void Add(const HistogramSeries& child, Counters* to) {
  if (to->count.empty()) to->labels = child.labels;
  for (std::size_t i = 0; i < child.times.size(); ++i) {
    to->seconds[child.times[i]] += child.sums[i];
    to->count[child.times[i]] += child.Row(i).back();
  }
}

std::map<std::size_t, Counters> ByTarget(const HistogramFacts& histogram,
                                         std::optional<ExtensionPoint> point = {}) {
  std::map<std::size_t, Counters> out;
  for (const HistogramSeries& child : histogram.children) {
    if (point && child.labels.Get("extension_point") != ToString(*point)) continue;
    Add(child, &out[child.target]);
  }
  return out;
}

/// The value at the last time at or before `t`; 0 where there is none after `restart`.
double At(const Counter& counter, TimeMs t, TimeMs restart) {
  const auto after = counter.upper_bound(t);
  if (after == counter.begin() || std::prev(after)->first <= restart) return 0;
  return std::prev(after)->second;
}

}  // namespace

HistogramFacts ComposeAttempts(const Histograms& histograms) {
  HistogramFacts out;
  if (histograms.algorithm.children.empty() || histograms.extension_point.children.empty()) {
    return out;
  }
  std::vector<std::map<std::size_t, Counters>> parts = {ByTarget(histograms.permit_wait)};
  for (const ExtensionPoint point :
       {ExtensionPoint::kReserve, ExtensionPoint::kPermit, ExtensionPoint::kPreBind}) {
    parts.push_back(ByTarget(histograms.extension_point, point));
  }
  const bool binding = !histograms.binding.children.empty();
  parts.push_back(binding ? ByTarget(histograms.binding)
                          : ByTarget(histograms.extension_point, ExtensionPoint::kBind));
  const auto bound = ByTarget(histograms.extension_point, ExtensionPoint::kPostBind);
  const auto& ended = bound.empty() ? parts.back() : bound;
  for (const auto& [target, algorithm] : ByTarget(histograms.algorithm)) {
    const auto count = ended.find(target);
    if (count == ended.end()) continue;
    HistogramSeries series;
    series.labels =
        ProcessOf(algorithm.labels).With("result", ToString(kube::AttemptResult::kScheduled));
    series.target = target;
    series.bounds = {INFINITY};
    TimeMs before = INT64_MIN, restart = INT64_MIN;
    double attempts = 0;
    for (const auto& [t, seconds] : algorithm.seconds) {
      // What the process before counted is not of this one.
      const double now = At(algorithm.count, t, INT64_MIN);
      if (now < attempts) restart = before;
      attempts = now;
      before = t;
      double sum = seconds;
      for (const auto& part : parts) {
        const auto it = part.find(target);
        if (it != part.end()) sum += At(it->second.seconds, t, restart);
      }
      const double n = At(count->second.count, t, restart);
      series.times.push_back(t);
      series.cumulative.push_back(n);
      series.counts.push_back(n);
      series.sums.push_back(sum);
    }
    out.Add(std::move(series));
  }
  return out;
}

}  // namespace schedlens
