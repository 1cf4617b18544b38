#include "diagnose/breakdown/time_breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "diagnose/breakdown/conservation.h"
#include "kube/words.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;

/// Points that an attempt which fails after the algorithm has already paid for.
constexpr ExtensionPoint kLatePoints[] = {ExtensionPoint::kReserve, ExtensionPoint::kPermit,
                                          ExtensionPoint::kPreBind, ExtensionPoint::kBind};

/// Whether a stage is an extension point's whole time and lies directly below `parent`.
bool IsPointBelow(const kube::StageRow& row, std::optional<kube::Stage> parent) {
  return row.point && row.parent == parent;
}

std::vector<const ScrapeIncreases*> SelectFailed(const std::vector<ScrapeIncreases>& cells,
                                                 ExtensionPoint point) {
  std::vector<const ScrapeIncreases*> out = SelectPoint(cells, point);
  std::erase_if(out, [](const ScrapeIncreases* c) { return kube::IsSuccess(c->labels); });
  return out;
}

/// Time of attempts that found a node and failed later: in e2e as error or unschedulable, but their
/// parts are in the algorithm and in the points with a status other than Success.
void AddLateFailures(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  breakdown->late_failures = breakdown->points[ExtensionPoint::kUnreserve].count;
  if (breakdown->late_failures <= 0) return;
  const Amount errors = breakdown->by_result.Get(AttemptResult::kError);
  if (errors.count == breakdown->late_failures) {
    breakdown->late_failure_seconds = errors.seconds;
    return;
  }
  double seconds = breakdown->late_failures * breakdown->algorithm.mean();
  for (const ExtensionPoint point : kLatePoints) {
    seconds += Total(SelectFailed(cells.extension_point, point)).seconds;
  }
  for (const ScrapeIncreases& wait : cells.permit_wait) {  // rejected, or waited too long
    if (wait.labels.Get("result") != ToString(kube::StatusCode::kSuccess))
      seconds += TotalSum(wait);
  }
  breakdown->late_failure_seconds = std::min(seconds, breakdown->FailedSeconds());
  breakdown->notes.push_back(
      Message("attempts.late_failures", {{"count", arg::Count(breakdown->late_failures)}}));
}

/// From 1.30 the algorithm is observed for failed attempts too. The counts say so by themselves: it
/// is nearer to all attempts than to those that reached Reserve.
bool AlgorithmCoversFailures(const TimeBreakdown& breakdown) {
  const double early_failures = breakdown.failed() - breakdown.late_failures;
  if (early_failures <= 0) return false;
  const double found = breakdown.points[ExtensionPoint::kReserve].count;
  const double extra = breakdown.algorithm.count - found;
  return extra > early_failures / 2;
}

double SecondsOfAlgorithmPoints(const TimeBreakdown& breakdown) {
  double seconds = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (IsPointBelow(row, kube::Stage::kAlgorithm)) seconds += breakdown.points[*row.point].seconds;
  }
  return seconds;
}

void AddPointsBelow(std::optional<kube::Stage> parent, TimeBreakdown* breakdown) {
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!IsPointBelow(row, parent)) continue;
    breakdown->seconds[row.stage] = breakdown->points[*row.point].seconds;
    breakdown->counts[row.stage] = breakdown->points[*row.point].count;
  }
}

void AddAlgorithm(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  const bool has_points = !cells.extension_point.empty();
  if (has_points) AddPointsBelow(kube::Stage::kAlgorithm, breakdown);
  if (cells.algorithm.empty()) {
    // Its points are the part of it that is seen; the rest is in the remainder.
    breakdown->algorithm_from_points = has_points;
    if (has_points)
      breakdown->seconds[kube::Stage::kAlgorithm] = SecondsOfAlgorithmPoints(*breakdown);
    return;
  }
  const double postfilter = breakdown->points[ExtensionPoint::kPostFilter].seconds;
  double total = breakdown->algorithm.seconds;
  if (breakdown->algorithm_has_failures) {
    total -= postfilter;
  } else {
    total +=
        std::max(0.0, breakdown->FailedSeconds() - postfilter - breakdown->late_failure_seconds);
  }
  breakdown->seconds[kube::Stage::kAlgorithm] = total;
  breakdown->counts[kube::Stage::kAlgorithm] = breakdown->algorithm.count;
  breakdown->seconds[kube::Stage::kAlgorithmUnmeasured] =
      total - SecondsOfAlgorithmPoints(*breakdown);
}

void AddBind(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  const Amount plugins = breakdown->points[ExtensionPoint::kBind];
  const bool has_points = !cells.extension_point.empty();
  if (has_points) {
    breakdown->seconds[kube::Stage::kBindPlugins] = plugins.seconds;
    breakdown->counts[kube::Stage::kBindPlugins] = plugins.count;
  }
  double rest = breakdown->e2e.seconds - breakdown->Seconds(kube::Stage::kAlgorithm) -
                breakdown->Seconds(kube::Stage::kPermitWait) - plugins.seconds;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (IsPointBelow(row, std::nullopt)) rest -= breakdown->Seconds(row.stage);
  }
  if (breakdown->has_binding) {
    const double failed = Total(SelectFailed(cells.extension_point, ExtensionPoint::kBind)).seconds;
    const double bind = breakdown->binding.seconds + failed;
    breakdown->seconds[kube::Stage::kBind] = bind;
    if (has_points) breakdown->seconds[kube::Stage::kBindUnmeasured] = bind - plugins.seconds;
    breakdown->seconds[kube::Stage::kUnmeasured] = rest - (bind - plugins.seconds);
    breakdown->counts[kube::Stage::kBind] = breakdown->binding.count;
  } else if (breakdown->extender_binds > 0) {
    breakdown->seconds[kube::Stage::kBind] = plugins.seconds + rest;
    breakdown->seconds[kube::Stage::kBindUnmeasured] = rest;
    breakdown->counts[kube::Stage::kBind] = breakdown->points[ExtensionPoint::kPostBind].count;
  } else {
    if (has_points) {
      breakdown->seconds[kube::Stage::kBind] = plugins.seconds;
      breakdown->seconds[kube::Stage::kBindUnmeasured] = 0;
      breakdown->counts[kube::Stage::kBind] = plugins.count;
    }
    breakdown->seconds[kube::Stage::kUnmeasured] = rest;
  }
  if (cells.attempt.empty()) breakdown->seconds.erase(kube::Stage::kUnmeasured);
}

/// Attempts without a sum of their own: their stages added up stand for it.
void AddUpStages(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  if (!std::isnan(breakdown->e2e.seconds)) return;
  breakdown->seconds.erase(kube::Stage::kUnmeasured);
  if (cells.algorithm.empty() || cells.extension_point.empty()) return;
  double all = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!row.parent) all += breakdown->Seconds(row.stage);
  }
  if (std::isnan(all)) return;
  breakdown->e2e.seconds = all;
  breakdown->notes.emplace_back("attempts.no_sum");
}

}  // namespace

std::vector<const HistogramFacts*> AllOf(const Histograms& h) {
  return {&h.attempt,     &h.algorithm,      &h.binding,   &h.extension_point,
          &h.permit_wait, &h.pod_scheduling, &h.superseded};
}

Histograms GroupAll(const Facts& facts) {
  Histograms out;
  out.attempt = HistogramOf(facts, "attempt");
  out.algorithm = HistogramOf(facts, "algorithm");
  out.binding = HistogramOf(facts, "binding");
  out.extension_point = HistogramOf(facts, "extension_point");
  out.permit_wait = HistogramOf(facts, "permit_wait");
  out.pod_scheduling = HistogramOf(facts, "pod_scheduling");
  out.superseded = GroupByTarget(facts.superseded, facts.targets);
  if (out.attempt.children.empty()) {
    HistogramFacts composed = ComposeAttempts(out);
    composed.warnings = std::move(out.attempt.warnings);
    out.attempt = std::move(composed);
  }
  return out;
}

WindowIncreases CutWindow(const Histograms& histograms, std::span<const Target> targets,
                          const TimeRange& window) {
  return {window,
          CellsOf(histograms.attempt, targets, window),
          CellsOf(histograms.algorithm, targets, window),
          CellsOf(histograms.binding, targets, window),
          CellsOf(histograms.extension_point, targets, window),
          CellsOf(histograms.permit_wait, targets, window),
          CellsOf(histograms.pod_scheduling, targets, window),
          CellsOf(histograms.superseded, targets, window)};
}

std::vector<const ScrapeIncreases*> Select(const std::vector<ScrapeIncreases>& cells,
                                           std::string_view label, std::string_view value) {
  std::vector<const ScrapeIncreases*> out;
  for (const ScrapeIncreases& c : cells) {
    if (label.empty() || c.labels.Get(label) == value) out.push_back(&c);
  }
  return out;
}

std::vector<const ScrapeIncreases*> SelectPoint(const std::vector<ScrapeIncreases>& cells,
                                                ExtensionPoint point) {
  return Select(cells, "extension_point", ToString(point));
}

Amount Total(const std::vector<const ScrapeIncreases*>& cells) {
  Amount amount;
  for (const ScrapeIncreases* c : cells) amount += {TotalCount(*c), TotalSum(*c)};
  return amount;
}

Amount Total(const std::vector<ScrapeIncreases>& cells) { return Total(Select(cells, "", "")); }

bool HasBuckets(const std::vector<ScrapeIncreases>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const ScrapeIncreases& c) { return c.bounds.size() > 1; });
}

double TimeBreakdown::scheduled() const { return by_result.Get(AttemptResult::kScheduled).count; }

double TimeBreakdown::failed() const { return e2e.count - scheduled(); }

double TimeBreakdown::FailedSeconds() const {
  double failed = 0;
  for (const auto& [result, amount] : by_result) {
    if (result != AttemptResult::kScheduled) failed += amount.seconds;
  }
  return failed;
}

TimeBreakdown BreakDownTime(const WindowIncreases& cells) {
  TimeBreakdown breakdown;
  breakdown.window = cells.window;
  breakdown.e2e = Total(cells.attempt);
  for (const ScrapeIncreases& c : cells.attempt) {
    breakdown.by_result[kube::ResultOf(c.labels)] += {TotalCount(c), TotalSum(c)};
  }
  for (const ScrapeIncreases& c : cells.extension_point) {
    const auto point = kube::Parse<ExtensionPoint>(c.labels.Get("extension_point"));
    if (!point) continue;  // newer than the table, or of another program
    breakdown.points[*point] += {TotalCount(c), TotalSum(c)};
    if (point == ExtensionPoint::kBind && kube::IsSuccess(c.labels)) {
      breakdown.bind_ok += {TotalCount(c), TotalSum(c)};
    }
  }
  breakdown.algorithm = Total(cells.algorithm);
  breakdown.binding = Total(cells.binding);
  breakdown.permit_wait = Total(cells.permit_wait);
  breakdown.pod_scheduling = Total(cells.pod_scheduling);
  breakdown.has_binding = !cells.binding.empty();
  AddLateFailures(cells, &breakdown);
  breakdown.algorithm_has_failures = AlgorithmCoversFailures(breakdown);
  if (!cells.extension_point.empty()) {
    breakdown.extender_binds =
        std::max(0.0, breakdown.points[ExtensionPoint::kPostBind].count - breakdown.bind_ok.count);
  }
  AddAlgorithm(cells, &breakdown);
  if (!cells.extension_point.empty()) AddPointsBelow(std::nullopt, &breakdown);
  breakdown.seconds[kube::Stage::kPermitWait] = breakdown.permit_wait.seconds;
  breakdown.counts[kube::Stage::kPermitWait] = breakdown.permit_wait.count;
  AddBind(cells, &breakdown);
  AddUpStages(cells, &breakdown);
  return breakdown;
}

double RunsOf(const TimeBreakdown& breakdown, kube::Stage stage) {
  const double count = breakdown.counts.Get(stage);
  return count > 0 ? count : breakdown.e2e.count;
}

StageChanges CompareBreakdowns(const TimeBreakdown& now, const TimeBreakdown& baseline) {
  StageChanges changes;
  if (baseline.scheduled() <= 0) return changes;
  const double scale = now.scheduled() / baseline.scheduled();
  for (const auto& [stage, seconds] : now.seconds) {
    const double before = baseline.Seconds(stage) * scale;
    const double n1 = RunsOf(now, stage), n0 = RunsOf(baseline, stage) * scale;
    const double m1 = n1 > 0 ? seconds / n1 : 0;
    const double m0 = n0 > 0 ? before / n0 : m1;
    changes[stage] = {seconds - before, (n1 - n0) * (m1 + m0) / 2, (m1 - m0) * (n1 + n0) / 2};
  }
  return changes;
}

std::vector<PluginRow> RankPlugins(const Facts& facts, const TimeRange& window) {
  std::map<std::pair<std::string, std::string>, Amount> amounts;
  std::map<std::string, double> seconds_of_point;
  for (const CounterIncrease& c : IncreasesOf(facts, "plugin_execution", window)) {
    const std::string point(c.labels.Get("extension_point"));
    Amount& amount = amounts[{point, std::string(c.labels.Get("plugin"))}];
    if (c.labels.Get(kMetricName).ends_with("_count")) {
      amount.count += c.increase;
    } else {
      amount.seconds += c.increase;
      seconds_of_point[point] += c.increase;
    }
  }
  std::vector<PluginRow> rows;
  for (const auto& [key, amount] : amounts) {
    if (amount.count <= 0) continue;
    const double all = seconds_of_point[key.first];
    PluginRow row{key.first, key.second, amount.count, amount.mean(), {}};
    if (all > 0) row.wall_share = Estimated(amount.seconds / all, "1", BasisKind::kLossySample);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PluginRow& a, const PluginRow& b) {
    if (a.extension_point != b.extension_point) return a.extension_point < b.extension_point;
    return a.wall_share.value.value_or(0) > b.wall_share.value.value_or(0);
  });
  return rows;
}

}  // namespace schedlens
