#include "analysis/breakdown/conservation.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace schedlens {
namespace {

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

}  // namespace

std::vector<Message> CheckCounts(const Facts& facts, const WindowIncreases& cells,
                                 const TimeBreakdown& breakdown) {
  std::vector<Message> broken;
  const double straddling = 2 * static_cast<double>(std::max<std::size_t>(1, facts.targets.size()));
  const auto compare = [&](double a, const Value& name_a, double b, const Value& name_b) {
    // Mixed layouts or a torn scrape leave NaN; that has a warning of its own.
    if (std::isnan(a) || std::isnan(b) || std::abs(a - b) <= straddling) return;
    broken.push_back(a > b ? Missing(a - b, name_a, name_b) : Missing(b - a, name_b, name_a));
  };
  if (cells.attempt.empty()) return broken;
  const double early_failures = breakdown.failed() - breakdown.late_failures;
  const double found =
      breakdown.algorithm.count - (breakdown.algorithm_has_failures ? early_failures : 0);
  if (!cells.extension_point.empty()) {
    compare(breakdown.points[kube::ExtensionPoint::kPostBind].count, "EP{PostBind}",
            breakdown.scheduled(), "e2e{scheduled}");
    compare(breakdown.bind_ok.count + breakdown.extender_binds, "EP{Bind, status=Success}",
            breakdown.points[kube::ExtensionPoint::kPostBind].count, "EP{PostBind}");
    if (!cells.algorithm.empty()) {
      compare(found, "scheduling_algorithm", breakdown.points[kube::ExtensionPoint::kReserve].count,
              "EP{Reserve}");
    }
  }
  if (!cells.pod_scheduling.empty()) {
    compare(breakdown.pod_scheduling.count, "pod_scheduling", breakdown.scheduled(),
            "e2e{scheduled}");
  }
  if (!cells.algorithm.empty() && !RestartedIn(facts, breakdown.window)) {
    if (const auto growth = GrowthOfRunning(facts, breakdown.window)) {
      compare(found, "scheduling_algorithm",
              breakdown.scheduled() + breakdown.late_failures + *growth,
              Message("counts.e2e_and_running"));
    }
  }
  return broken;
}

}  // namespace schedlens
