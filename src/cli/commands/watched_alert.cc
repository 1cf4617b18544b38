#include "cli/commands/watched_alert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "kube/metrics.h"
#include "model/text.h"
#include "promql/parser.h"
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

constexpr std::int64_t kSpan = 5 * 60 * 1000;
/// How old a newest sample may be: what servers hold back, and scrapes that may fail.
constexpr double kHeldBack = 60;
constexpr double kFailedScrapes = 4;

/// The alert's selector without range and modifiers; empty where it names no metric, whose series
/// many functions cannot take together.
std::string InstantSelector(const promql::AlertExpression& alert) {
  if (alert.selector_expression.empty()) return "";
  promql::Expr expr = *promql::Parse(alert.selector_expression);
  auto& selector = std::get<promql::Selector>(expr.node);
  if (selector.name.empty()) return "";
  selector.range_ms = 0;
  selector.shift = {};
  return promql::ToString(expr);
}

/// Selectors of what the schedulers themselves show: the alert's own, or, of recorded series, which
/// outlive what they are made of, the attempts' counter by both of its names.
std::vector<std::string> OwnSelectors(const promql::AlertExpression& alert,
                                      const std::string& selector) {
  std::vector<std::string> own = {InstantSelector(alert)};
  if (!own[0].empty() && IsAboutScheduler(*alert.ast)) return own;
  own.clear();
  for (const kube::Metric metric : {kube::Metric::kAttempt, kube::Metric::kE2e}) {
    own.push_back(fmt::format("{}{{{}}}", CountOf(metric), selector));
  }
  return own;
}

/// `text` around each of the selectors.
std::string Over(const std::vector<std::string>& selectors, const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string& one : selectors) {
    parts.push_back(fmt::format(fmt::runtime(text), one));
  }
  return fmt::format("{}", fmt::join(parts, " or "));
}

/// Processes that the expression's window still counts and that show nothing any more.
std::string GoneProcesses(const std::vector<std::string>& own, std::int64_t range_ms) {
  constexpr std::string_view kBy = "count by (cluster, job, instance, pod)";
  const std::string range = FormatDuration(std::max(range_ms, kSpan));
  return fmt::format("{0} ({1}) unless {0} ({2})", kBy,
                     Over(own, "count_over_time({}[" + range + "])"), Over(own, "{}"));
}

/// A process by the first of its labels that tells.
std::string ProcessName(const Labels& labels) {
  for (const char* label : {"pod", "instance", "job", "cluster"}) {
    if (labels.Has(label)) return std::string(labels.Get(label));
  }
  return "kube-scheduler";
}

/// Fills in why what does not hold is not known to be quiet, if it is not.
void TellUnknown(Source& source, const promql::AlertExpression& alert, const std::string& selector,
                 AlertNow* now) {
  const std::vector<std::string> own = OwnSelectors(alert, selector);
  const std::string rests_on = own.size() == 1 ? "" : InstantSelector(alert);
  const std::string other = alert.compared_with ? "" : alert.other_expression;
  std::vector<std::string> texts = {"max(" + Over(own, "timestamp({})") + ")",
                                    "max(" + Over(own, "count_over_time({}[5m])") + ")",
                                    GoneProcesses(own, alert.range_ms)};
  if (!rests_on.empty()) texts.push_back("max(timestamp(" + rests_on + "))");
  if (!other.empty()) texts.push_back(other);
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back({text, now->at, now->at, 0});
  const std::vector<Answer> answers = source.AskAll(queries);

  const auto scraped = Worst(answers[0], false);
  const auto newest = rests_on.empty() ? scraped : Worst(answers[3], false);
  const double scrapes = std::max(Worst(answers[1], false).value_or(1), 1.0);
  const double oldest = static_cast<double>(now->at) / 1000 - kHeldBack -
                        kFailedScrapes * static_cast<double>(kSpan) / 1000 / scrapes;
  now->since = now->at;
  if (!scraped) {
    now->unknown = Message("watch.unknown.no_scheduler");
  } else if (!newest || std::min(*scraped, *newest) < oldest) {
    now->since = static_cast<TimeMs>(std::min(*scraped, newest.value_or(*scraped)) * 1000);
    now->unknown = Message("watch.unknown.stale");
  } else if (!answers[2].series.empty()) {
    now->unknown =
        Message("watch.unknown.gone", {{"name", ProcessName(answers[2].series[0].labels)}});
  } else if (!now->value && !alert.comparison.empty()) {
    now->unknown = Message("watch.unknown.no_value");
  } else if (!other.empty() && !Worst(answers.back(), false)) {
    now->unknown = Message("watch.unknown.no_other", {{"promql", arg::Promql(other)}});
  }
}

}  // namespace

AlertNow AskAlertNow(Source& source, const promql::AlertExpression& alert,
                     const std::string& selector, TimeMs at) {
  // One after the other: a server that still takes in samples of `at` answers the later one anew,
  // and an alert that holds is never told with an older value.
  const Answer whole = source.Ask({alert.expr, at, at, 0});
  const Answer compared = source.Ask({alert.compared_expression, at, at, 0});
  AlertNow now;
  now.at = at;
  now.holds = !whole.series.empty();
  now.value = Worst(compared, alert.comparison.starts_with("<"));
  if (now.value && IsQuantile(alert)) now.value = (*now.value - alert.added) / alert.scale;
  if (!now.holds) TellUnknown(source, alert, selector, &now);
  return now;
}

Message WatchHead(const promql::AlertExpression& alert, const AlertNow& now,
                  std::int64_t every_ms) {
  const Argument every{"every", arg::Duration(static_cast<double>(every_ms) / 1000)};
  if (!now.unknown.empty()) {
    return Message("watch.head.unknown",
                   {{"time", DateAndTime(now.at)}, {"since", DateAndTime(now.since)}, every});
  }
  if (!now.value || !alert.threshold) {
    return Message("watch.head", {{"time", DateAndTime(now.at)}, every});
  }
  std::vector<Argument> arguments = Numbers(alert, now);
  arguments.push_back(every);
  return Message(IsQuantile(alert) ? "watch.head.quantile" : "watch.head.value", arguments);
}

Message ClearedLine(const promql::AlertExpression& alert, const AlertNow& now, bool held) {
  if (!now.value) {
    return Message(held ? "watch.cleared.no_value" : "watch.clear.no_value",
                   {{"time", DateAndTime(now.at)}});
  }
  const std::vector<Argument> arguments = Numbers(alert, now);
  if (!held) return Message("watch.clear", arguments);
  // Another of the expression's conditions may have ended it.
  const bool under = alert.threshold && *now.value < *alert.threshold;
  if (!under || !alert.comparison.starts_with(">")) return Message("watch.cleared", arguments);
  return Message(IsQuantile(alert) ? "watch.cleared.quantile" : "watch.cleared.value", arguments);
}

}  // namespace schedlens
