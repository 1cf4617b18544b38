// Whether counts that ought to agree do.

#include "diagnose/breakdown/time_breakdown.h"

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
  return std::ranges::any_of(facts.targets, [&](const Target& target) {
    const std::vector<TimeMs> restarts = target.restarts();
    return std::ranges::any_of(restarts,
                               [&](TimeMs t) { return t > window.start && t <= window.end; });
  });
}

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

/// The attempts that may straddle either edge of the window.
double Straddling(const Facts& facts) {
  return 2 * static_cast<double>(std::max<std::size_t>(1, facts.targets.size()));
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
  double twice = 0;
  for (const ScrapeIncreases& child : cells.attempt) twice += child.counted_twice;
  if (twice > 0) broken.push_back(Message("counts.twice", {{"count", arg::Count(twice)}}));
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

}  // namespace schedlens
