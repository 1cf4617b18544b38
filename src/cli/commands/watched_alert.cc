#include "cli/commands/watched_alert.h"

#include <cmath>
#include <string>

#include "report/format.h"

namespace schedlens {
namespace {

/// The value furthest beyond the threshold, or nearest to it; nothing without one.
std::optional<double> Worst(const Answer& answer, bool low) {
  std::optional<double> worst;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    const double v = series.samples.back().v;
    if (!worst || (low ? v < *worst : v > *worst)) worst = v;
  }
  return worst;
}

bool IsQuantile(const promql::AlertExpression& alert) {
  return alert.is_histogram_quantile && alert.quantile && alert.scale != 0;
}

/// The time, and what both lines say of the alert's numbers.
std::vector<Argument> Numbers(const promql::AlertExpression& alert, const AlertNow& now) {
  std::vector<Argument> numbers = {{"time", DateAndTime(now.at)}};
  if (IsQuantile(alert)) {
    numbers.push_back({"quantile", QuantileName(*alert.quantile)});
    numbers.push_back({"value", arg::Duration(*now.value)});
    numbers.push_back({"threshold", arg::Duration(alert.threshold.value_or(0))});
  } else {
    numbers.push_back({"value", arg::Number(*now.value)});
    numbers.push_back({"threshold", arg::Number(alert.threshold.value_or(0))});
  }
  return numbers;
}

}  // namespace

AlertNow AskAlertNow(Source& source, const promql::AlertExpression& alert, TimeMs at) {
  // One after the other: a server that still takes in samples of `at` answers the later one anew,
  // and an alert that holds is never told with an older value.
  const Answer whole = source.Ask({alert.expr, at, at, 0});
  const Answer compared = source.Ask({alert.compared_expression, at, at, 0});
  AlertNow now{.at = at, .holds = !whole.series.empty(), .value = std::nullopt};
  now.value = Worst(compared, alert.comparison.starts_with("<"));
  if (now.value && IsQuantile(alert)) now.value = (*now.value - alert.added) / alert.scale;
  return now;
}

Message WatchHead(const promql::AlertExpression& alert, const AlertNow& now,
                  std::int64_t every_ms) {
  const Argument every{"every", arg::Duration(static_cast<double>(every_ms) / 1000)};
  if (!now.value || !alert.threshold) {
    return Message("watch.head", {{"time", DateAndTime(now.at)}, every});
  }
  std::vector<Argument> arguments = Numbers(alert, now);
  arguments.push_back(every);
  return Message(IsQuantile(alert) ? "watch.head.quantile" : "watch.head.value", arguments);
}

Message ClearedLine(const promql::AlertExpression& alert, const AlertNow& now, bool held) {
  if (!now.value) return Message("watch.cleared.no_value", {{"time", DateAndTime(now.at)}});
  const std::vector<Argument> arguments = Numbers(alert, now);
  if (!held) return Message("watch.clear", arguments);
  // Another of the expression's conditions may have ended it.
  const bool under = alert.threshold && *now.value < *alert.threshold;
  if (!under || !alert.comparison.starts_with(">")) return Message("watch.cleared", arguments);
  return Message(IsQuantile(alert) ? "watch.cleared.quantile" : "watch.cleared.value", arguments);
}

}  // namespace schedlens
