// Recording and alert rules as YAML. The identities are those of the stage tree: sums add up, so
// what has no metric of its own is what is left.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.h"
#include "kube/metrics.h"
#include "kube/stage.h"
#include "report/commands.h"
#include "schedlens/error.h"

namespace schedlens {

namespace {

using kube::ExtensionPoint;
using kube::Metric;
using kube::StageRow;

/// The histogram family of scheduling attempts in that release.
std::string AttemptMetric(const WatchRuleOptions& options) {
  const bool renamed = options.minor >= RowOf(Metric::kAttempt).first;
  return std::string(NameOf(renamed ? Metric::kAttempt : Metric::kE2e));
}

/// Throws Error(kUsage), naming the nearest bound, when the threshold is none.
void CheckWatchOptions(const WatchRuleOptions& options) {
  const std::vector<double> bounds = AttemptBounds();
  const auto nearest = std::min_element(bounds.begin(), bounds.end(), [&](double a, double b) {
    return std::abs(a - options.threshold) < std::abs(b - options.threshold);
  });
  if (*nearest == options.threshold) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("the threshold {} s lies inside a bucket, so an alert on it would be "
                          "decided by interpolation; give a bound, the nearest is {}",
                          FormatNumber(options.threshold), FormatNumber(*nearest)));
}

std::string Rate(std::string_view series) {
  return fmt::format("sum by (job) (rate({}[5m]))", series);
}

// A part that may have no series yet counts as zero wherever the whole has a value.
std::string OrZero(const std::string& part, const std::string& whole) {
  return "(" + part + " or 0 * " + whole + ")";
}

/// The series of the extension points that `keep` picks from the stage tree.
template <typename Keep>
std::string PointsOf(Keep keep) {
  std::vector<std::string_view> names;
  for (const StageRow& row : kube::kStageTable) {
    if (row.point && keep(row)) names.push_back(ToString(*row.point));
  }
  return fmt::format("{}{{extension_point=~\"{}\"}}", SumOf(Metric::kExtensionPoint),
                     fmt::join(names, "|"));
}

std::string PointOf(ExtensionPoint point) {
  return PointsOf([point](const StageRow& row) { return row.point == point; });
}

bool IsOfAlgorithm(const StageRow& row) { return row.parent == kube::Stage::kAlgorithm; }

// Time in the algorithm, failed attempts included. Up to 1.29 its own histogram counts only
// attempts that found a node; from 1.30 on it counts all, and contains PostFilter.
std::string AlgorithmSeconds(const WatchRuleOptions& options) {
  const std::string base = Rate(SumOf(Metric::kAlgorithm));
  const std::string post_filter = OrZero(Rate(PointOf(ExtensionPoint::kPostFilter)), base);
  if (options.minor >= 30) return base + " - " + post_filter;
  const std::string failed =
      OrZero(Rate(AttemptMetric(options) + "_sum{result!=\"scheduled\"}"), base);
  return base + " + " + failed + " - " + post_filter;
}

std::string Record(const std::string& name, const std::string& expr) {
  return fmt::format("  - record: {}\n    expr: |\n      {}\n", name, expr);
}

std::string Alert(const std::string& name, const std::string& expr, const std::string& duration,
                  const std::string& summary, const std::string& description) {
  return fmt::format(
      "  - alert: {}\n    expr: |\n      {}\n    for: {}\n    labels:\n      severity: warning\n"
      "    annotations:\n      summary: {}\n      description: >-\n        {}\n",
      name, expr, duration, summary, description);
}

std::string StageRules(const WatchRuleOptions& options) {
  const std::string attempt = AttemptMetric(options);
  const std::string whole = "sum by (job) (schedlens:attempt_seconds:rate5m)";
  std::string out = "- name: schedlens.stages\n  rules:\n";
  out += Record("schedlens:attempt_seconds:rate5m",
                fmt::format("sum by (job, result) (rate({}_sum[5m]))", attempt));
  out += Record("schedlens:attempts:rate5m",
                fmt::format("sum by (job, result) (rate({}_count[5m]))", attempt));
  out += Record(
      "schedlens:extension_point_seconds:rate5m",
      fmt::format("sum by (job, extension_point) (rate({}[5m]))", SumOf(Metric::kExtensionPoint)));
  out += Record("schedlens:algorithm_seconds:rate5m", AlgorithmSeconds(options));
  out += Record("schedlens:algorithm_unmeasured_seconds:rate5m",
                "schedlens:algorithm_seconds:rate5m - " +
                    OrZero(Rate(PointsOf(IsOfAlgorithm)), "schedlens:algorithm_seconds:rate5m"));
  out += Record("schedlens:unmeasured_seconds:rate5m",
                whole + " - schedlens:algorithm_seconds:rate5m - " +
                    OrZero(Rate(PointsOf(std::not_fn(IsOfAlgorithm))), whole) + " - " +
                    OrZero(Rate(SumOf(Metric::kPermitWait)), whole));
  if (options.minor <= RowOf(Metric::kBinding).last) {
    const std::string binding = Rate(SumOf(Metric::kBinding));
    out += Record("schedlens:bind_unmeasured_seconds:rate5m",
                  binding + " - " + OrZero(Rate(PointOf(ExtensionPoint::kBind)), binding));
  }
  out += Record(
      "schedlens:attempts_over_threshold:ratio_rate5m",
      fmt::format("1 - sum by (job) (rate({0}_bucket{{result=\"scheduled\", le=\"{1}\"}}[5m])) / "
                  "sum by (job) (rate({0}_count{{result=\"scheduled\"}}[5m]))",
                  attempt, FormatNumber(options.threshold)));
  return out;
}

std::string AlertRules(const WatchRuleOptions& options) {
  const std::string bound = FormatNumber(options.threshold);
  std::string out = "- name: schedlens.alerts\n  rules:\n";
  out +=
      Alert("KubeSchedulerAttemptsSlow", "schedlens:attempts_over_threshold:ratio_rate5m > 0.01",
            "1m", fmt::format("more than 1 % of scheduled attempts take over {} s", bound),
            fmt::format("The p99 of scheduled attempts is above {} s. That is a bucket bound: the "
                        "counts decide, not an interpolation. Run schedlens diagnose.",
                        bound));
  out += Alert("KubeSchedulerTimeUnmeasured",
               "schedlens:unmeasured_seconds:rate5m / sum by (job) "
               "(schedlens:attempt_seconds:rate5m) > 0.5 and sum by (job) "
               "(schedlens:attempt_seconds:rate5m) > 0.05",
               "5m", "most scheduling time has no metric of its own",
               "Most often this is a bind by an extender. Run schedlens diagnose.");
  out += Alert("KubeSchedulerMostAttemptsFail",
               "sum by (job) (schedlens:attempts:rate5m{result!=\"scheduled\"}) > on (job) "
               "sum by (job) (schedlens:attempts:rate5m{result=\"scheduled\"})",
               "10m", "more attempts fail than succeed",
               "Failed attempts are quick and hide slow ones in a quantile over all results.");
  return out;
}

}  // namespace

std::vector<double> AttemptBounds() {
  return kube::BoundsIn(kube::RowOf(kube::Metric::kAttempt), std::nullopt);
}

std::string WatchRules(const WatchRuleOptions& options) {
  CheckWatchOptions(options);
  return fmt::format(
             "# kube-scheduler's time as it adds up, for 1.{}. Made by `schedlens queries "
             "export --format rules`.\ngroups:\n",
             options.minor) +
         StageRules(options) + AlertRules(options);
}

std::string Dashboard(const WatchRuleOptions& options) {
  CheckWatchOptions(options);
  std::string text(DashboardTemplate());
  const std::pair<std::string_view, std::string> filled_in[] = {
      {"ATTEMPT_METRIC", AttemptMetric(options)}, {"THRESHOLD", FormatNumber(options.threshold)}};
  for (const auto& [name, value] : filled_in) {
    for (std::size_t at; (at = text.find(name)) != text.npos;) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

}  // namespace schedlens
