#include "analysis/alert/fires.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "contract/source.h"

namespace schedlens {
namespace {

constexpr std::int64_t kMostSteps = 240;
constexpr std::int64_t kSmallestStepMs = 5000;
constexpr std::size_t kMostTimes = 50;

/// Whether an absence of results says that the alert does not fire: not so of a bare value.
bool IsCondition(const promql::AlertExpression& alert) {
  if (!alert.comparison.empty()) return true;
  bool condition = false;
  promql::Walk(*alert.ast, [&](const promql::Expr& node) {
    const auto* call = node.As<promql::Call>();
    const auto* binary = node.As<promql::Binary>();
    condition = condition || (call != nullptr && call->function->name.starts_with("absent")) ||
                (binary != nullptr && promql::IsSetOperation(binary->op));
  });
  return condition;
}

/// Evaluations that end with the window's end.
Query Over(const std::string& promql, const TimeRange& window) {
  const std::int64_t length = std::max<TimeMs>(window.end - window.start, 0);
  const std::int64_t step = std::max(kSmallestStepMs, (length / kMostSteps + 999) / 1000 * 1000);
  return {promql, window.end - length / step * step, window.end, step};
}

/// The series whose last value is worst, of those that have one at the end: lowest where the alert
/// asks for low values.
const Series* WorstAtEnd(const Answer& answer, const Query& query, const std::string& comparison) {
  constexpr TimeMs kNear = 60'000;
  const TimeMs since = query.end - std::max(query.step_ms, kNear);
  const bool low = comparison.starts_with("<");
  const Series* worst = nullptr;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || series.samples.back().t <= since) continue;
    const double v = series.samples.back().v;
    if (std::isnan(v)) continue;
    const double best = worst == nullptr ? v : worst->samples.back().v;
    if (worst == nullptr || (low ? v < best : v > best)) worst = &series;
  }
  return worst;
}

std::vector<TimeMs> TimesOf(const Answer& answer) {
  std::set<TimeMs> times;
  for (const Series& series : answer.series) {
    for (const Sample& sample : series.samples) times.insert(sample.t);
  }
  return {times.begin(), times.end()};
}

/// At most kMostTimes of them, first and last among them.
std::vector<TimeMs> Thinned(const std::vector<TimeMs>& times) {
  if (times.size() <= kMostTimes) return times;
  std::vector<TimeMs> kept;
  for (std::size_t i = 0; i < kMostTimes; ++i) {
    kept.push_back(times[i * (times.size() - 1) / (kMostTimes - 1)]);
  }
  return kept;
}

bool EverBeyond(const Answer& compared, const promql::AlertExpression& alert) {
  if (!alert.compared_with) return true;
  return std::any_of(compared.series.begin(), compared.series.end(), [&](const Series& series) {
    return std::any_of(series.samples.begin(), series.samples.end(), [&](const Sample& sample) {
      return Compares(sample.v, alert.comparison, *alert.compared_with);
    });
  });
}

/// Whether some metric of the expression has no sample at all: its condition cannot be told.
bool LacksAMetric(Source& source, const promql::AlertExpression& alert, TimeMs at) {
  std::set<std::string> selectors;
  promql::Walk(*alert.ast, [&](const promql::Expr& node) {
    const auto* selector = node.As<promql::Selector>();
    if (selector == nullptr) return;
    promql::Selector plain = *selector;
    plain.range_ms = 0;
    plain.shift = {};
    plain.edges = promql::Edges::kPlain;
    selectors.insert(promql::ToString(promql::Expr{.node = plain}));
  });
  std::vector<Query> queries;
  for (const std::string& selector : selectors) queries.push_back({selector, at, at, 0});
  const std::vector<Answer> answers = source.AskAll(queries);
  return std::any_of(answers.begin(), answers.end(),
                     [](const Answer& answer) { return answer.series.empty(); });
}

}  // namespace

bool Compares(double value, const std::string& comparison, double threshold) {
  if (comparison == ">") return value > threshold;
  if (comparison == ">=") return value >= threshold;
  if (comparison == "<") return value < threshold;
  if (comparison == "<=") return value <= threshold;
  return comparison == "==" ? value == threshold : value != threshold;
}

AlertAnswer AskWhetherItFires(Source& source, const promql::AlertExpression& alert,
                              const TimeRange& window) {
  AlertAnswer out;
  const bool condition = IsCondition(alert);
  std::vector<Query> queries = {Over(alert.compared_expression, window)};
  if (condition) queries.push_back(Over(alert.expr, window));
  const std::vector<Answer> answers = source.AskAll(queries);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    AddNotes(answers[i], &out.warnings);
    out.queries.push_back({"alert", queries[i].promql, queries[i].end, answers[i].series.size()});
  }
  const Answer& compared = answers.front();
  if (const Series* worst = WorstAtEnd(compared, queries[0], alert.comparison)) {
    out.value = worst->samples.back().v;
    out.labels = worst->labels;
  }
  if (!condition) return out;
  const std::vector<TimeMs> times = TimesOf(answers.back());
  if (!times.empty()) {
    out.fires = {FiresState::kYes, Thinned(times)};
    return out;
  }
  const bool tells = alert.comparison.empty() || !compared.series.empty();
  const bool known =
      tells && !(EverBeyond(compared, alert) && LacksAMetric(source, alert, window.end));
  if (known) out.fires.state = FiresState::kNo;
  return out;
}

}  // namespace schedlens
