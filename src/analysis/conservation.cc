#include "analysis/conservation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace schedlens {
namespace {

std::string Missing(double count, std::string_view more, std::string_view less) {
  return fmt::format(
      "Counts do not conserve: {} counts {:.0f} more than {}. Attempts are missing there: a metric "
      "dropped or relabelled away, or samples lost.",
      more, count, less);
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
    return std::any_of(target.restarts.begin(), target.restarts.end(),
                       [&](TimeMs t) { return t > window.start && t <= window.end; });
  });
}

}  // namespace

std::vector<std::string> CheckCounts(const Facts& facts, const WindowCells& cells,
                                     const Account& account) {
  std::vector<std::string> broken;
  const double straddling = 2 * static_cast<double>(std::max<std::size_t>(1, facts.targets.size()));
  const auto compare = [&](double a, std::string_view name_a, double b, std::string_view name_b) {
    // Mixed layouts or a torn scrape leave NaN; that has a warning of its own.
    if (std::isnan(a) || std::isnan(b) || std::abs(a - b) <= straddling) return;
    broken.push_back(a > b ? Missing(a - b, name_a, name_b) : Missing(b - a, name_b, name_a));
  };
  if (cells.attempt.empty()) return broken;
  const double early_failures = account.failed() - account.late_failures;
  const double found =
      account.algorithm.count - (account.algorithm_has_failures ? early_failures : 0);
  if (!cells.extension_point.empty()) {
    compare(account.Point("PostBind").count, "EP{PostBind}", account.scheduled(), "e2e{scheduled}");
    compare(account.bind_ok.count + account.extender_binds, "EP{Bind, status=Success}",
            account.Point("PostBind").count, "EP{PostBind}");
    if (!cells.algorithm.empty()) {
      compare(found, "scheduling_algorithm", account.Point("Reserve").count, "EP{Reserve}");
    }
  }
  if (!cells.pod_scheduling.empty()) {
    compare(account.pod_scheduling.count, "pod_scheduling", account.scheduled(), "e2e{scheduled}");
  }
  if (!cells.algorithm.empty() && !RestartedIn(facts, account.window)) {
    if (const auto growth = GrowthOfRunning(facts, account.window)) {
      compare(found, "scheduling_algorithm", account.scheduled() + account.late_failures + *growth,
              "e2e and the running binding cycles");
    }
  }
  return broken;
}

}  // namespace schedlens
