#include "diagnose/breakdown/conservation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

namespace schedlens {
namespace {

using kube::ExtensionPoint;

Message Missing(double count, const Value& more, const Value& less) {
  return Message("counts.missing", {{"more", more}, {"count", arg::Count(count)}, {"less", less}});
}

/// How many more binding cycles run at the window's end than at its start, by the gauge.
std::optional<double> GrowthOfRunning(const Facts& facts, const TimeRange& window) {
  std::optional<double> growth;
  for (const Series& series : facts.Of("goroutines")) {
    if (series.labels.Get("work") != "binding" && series.labels.Get("operation") != "binding") {
      continue;
    }
    std::optional<double> first, last;
    for (const Sample& sample : series.samples) {
      if (!std::isfinite(sample.v)) continue;
      if (sample.t <= window.start) first = sample.v;
      if (sample.t <= window.end) last = sample.v;
    }
    if (!first || !last) return std::nullopt;  // it began inside: unknown what ran before
    growth = growth.value_or(0) + *last - *first;
  }
  return growth;
}

bool RestartedIn(const Facts& facts, const TimeRange& window) {
  return std::any_of(facts.targets.begin(), facts.targets.end(), [&](const Target& target) {
    const std::vector<TimeMs> restarts = target.restarts();
    return std::any_of(restarts.begin(), restarts.end(),
                       [&](TimeMs t) { return t > window.start && t <= window.end; });
  });
}

/// Two counts of the same attempts.
struct CountPair {
  double a;
  Value name_a;
  double b;
  Value name_b;
};

/// Attempts that found a node, by the algorithm's own count.
double FoundNode(const TimeBreakdown& breakdown) {
  const double early_failures = breakdown.failed() - breakdown.late_failures;
  return breakdown.algorithm.count - (breakdown.algorithm_has_failures ? early_failures : 0);
}

std::vector<CountPair> PairsOf(const WindowIncreases& cells, const TimeBreakdown& breakdown) {
  using kube::ExtensionPoint;
  std::vector<CountPair> pairs;
  if (cells.attempt.empty()) return pairs;
  const double bound = breakdown.points[ExtensionPoint::kPostBind].count;
  if (!cells.extension_point.empty()) {
    pairs.push_back({bound, "EP{PostBind}", breakdown.scheduled(), "e2e{scheduled}"});
    pairs.push_back({breakdown.bind_ok.count + breakdown.extender_binds, "EP{Bind, status=Success}",
                     bound, "EP{PostBind}"});
    if (!cells.algorithm.empty()) {
      pairs.push_back({FoundNode(breakdown), "scheduling_algorithm",
                       breakdown.points[ExtensionPoint::kReserve].count, "EP{Reserve}"});
    }
  }
  if (!cells.pod_scheduling.empty()) {
    pairs.push_back({breakdown.pod_scheduling.count, "pod_scheduling", breakdown.scheduled(),
                     "e2e{scheduled}"});
  }
  return pairs;
}

/// The attempts that may straddle either edge.
double Straddling(const Facts& facts) {
  return 2 * static_cast<double>(std::max<std::size_t>(1, facts.targets.size()));
}

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

std::vector<Message> CheckCounts(const Facts& facts, const WindowIncreases& cells,
                                 const TimeBreakdown& breakdown) {
  std::vector<Message> broken;
  std::vector<CountPair> pairs = PairsOf(cells, breakdown);
  if (!cells.attempt.empty() && !cells.algorithm.empty() && !RestartedIn(facts, breakdown.window)) {
    if (const auto growth = GrowthOfRunning(facts, breakdown.window)) {
      pairs.push_back({FoundNode(breakdown), "scheduling_algorithm",
                       breakdown.scheduled() + breakdown.late_failures + *growth,
                       Message("counts.e2e_and_running")});
    }
  }
  for (const auto& [a, name_a, b, name_b] : pairs) {
    // Mixed layouts or a torn scrape leave NaN; that has a warning of its own.
    if (std::isnan(a) || std::isnan(b) || std::abs(a - b) <= Straddling(facts)) continue;
    broken.push_back(a > b ? Missing(a - b, name_a, name_b) : Missing(b - a, name_b, name_a));
  }
  return broken;
}

std::vector<Message> ContradictingCounts(const Facts& facts, const WindowIncreases& cells,
                                         const TimeBreakdown& breakdown, double hair) {
  std::vector<Message> found;
  if (RestartedIn(facts, breakdown.window)) return found;
  for (const auto& [a, name_a, b, name_b] : PairsOf(cells, breakdown)) {
    const double less = std::min(a, b), more = std::max(a, b);
    if (!(less > 0) || !(more - less > Straddling(facts) + hair * more)) continue;
    found.push_back(Message("contradiction.counts", {{"more", a > b ? name_a : name_b},
                                                     {"count", arg::Count(more)},
                                                     {"less", a > b ? name_b : name_a},
                                                     {"other", arg::Count(less)}}));
  }
  return found;
}

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
