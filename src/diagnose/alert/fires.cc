#include "diagnose/alert/fires.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/source.h"
#include "diagnose/collect/columns.h"
#include "promql/matcher.h"
#include "stats/scrape_increases.h"

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

bool HasThreshold(const AlertVerdict& alert) {
  return alert.threshold.has_value() && !alert.comparison.empty();
}

/// The times that it held, whatever its `for`.
std::vector<AlertEpisode> TimesHeld(const Timeline& timeline, const AlertVerdict& alert) {
  std::vector<AlertEpisode> held;
  if (!HasThreshold(alert)) return held;
  bool open = false;
  for (std::size_t i = 0; i < std::min(timeline.times.size(), timeline.shown.size()); ++i) {
    if (std::isnan(timeline.shown[i])) continue;
    const bool holds = Compares(timeline.shown[i], alert.comparison, *alert.threshold);
    if (holds && !open) held.push_back({timeline.times[i], {}, {}});
    if (!holds && open) held.back().resolved = timeline.times[i];
    open = holds;
  }
  return held;
}

constexpr std::size_t kMostLooks = 240;

/// The quantile of all attempts between two times, as a server interpolates it; NaN without any.
double QuantileBetween(const std::vector<ScrapeIncreases>& children, double q,
                       const TimeRange& range) {
  std::vector<ScrapeIncreases> inside;
  for (const ScrapeIncreases& child : children) inside.push_back(CellsInside(child, range));
  return PoolBuckets(inside).Interpolate(q);
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

std::vector<AlertEpisode> EpisodesOf(const Timeline& timeline, const AlertVerdict& alert,
                                     std::int64_t for_ms, const std::vector<Firing>& firings) {
  if (for_ms <= 0) return {};
  std::vector<AlertEpisode> held = TimesHeld(timeline, alert);
  const TimeMs last = timeline.times.empty() ? 0 : timeline.times.back();
  for (AlertEpisode& episode : held) {
    const TimeMs firing = episode.pending + for_ms;
    if (firing <= episode.resolved.value_or(last)) episode.firing = firing;
  }
  if (firings.empty()) return held;
  std::vector<AlertEpisode> known;
  for (const Firing& firing : firings) {
    const AlertEpisode one{firing.start - for_ms, firing.start, firing.end};
    const bool told = std::any_of(known.begin(), known.end(), [&](const AlertEpisode& episode) {
      return episode.firing == one.firing;
    });
    if (!told) known.push_back(one);
  }
  return known;
}

std::optional<double> SecondsAbove(const Timeline& timeline, const AlertVerdict& alert,
                                   const TimeRange& window) {
  const bool exceeds = alert.comparison == ">" || alert.comparison == ">=";
  if (!HasThreshold(alert) || !exceeds) return std::nullopt;
  bool any = false;
  TimeMs above = 0;
  for (std::size_t i = 1; i < std::min(timeline.times.size(), timeline.shown.size()); ++i) {
    const TimeMs from = std::max(timeline.times[i - 1], window.start);
    const TimeMs to = std::min(timeline.times[i], window.end);
    if (from >= to || std::isnan(timeline.shown[i])) continue;
    any = true;
    if (Compares(timeline.shown[i], alert.comparison, *alert.threshold)) above += to - from;
  }
  return any ? std::optional(static_cast<double>(above) / 1000) : std::nullopt;
}

std::vector<TimeRange> TimesAboveThreshold(const AlertPanel& alert, const Facts& facts,
                                           const HistogramFacts& attempt) {
  const auto threshold = alert.ThresholdInSeconds();
  const std::string& comparison = alert.verdict.comparison;
  const bool exceeds = comparison == ">" || comparison == ">=";
  if (!threshold || !exceeds || alert.range_ms <= 0) return {};
  if (alert.verdict.metric != attempt.family) return {};
  std::vector<ScrapeIncreases> children = CellsOf(attempt, facts.targets, ScrapedRange(facts));
  std::erase_if(children, [&](const ScrapeIncreases& child) {
    std::vector<promql::Matcher>
        own;  // the scheduler's other labels were matched when it was asked
    for (const promql::Matcher& matcher : alert.asked.matchers) {
      if (matcher.name == "result") own.push_back(matcher);
    }
    return !promql::Accept(own, child.labels);
  });
  std::vector<TimeRange> above;
  for (const TimeMs t : ColumnEdges(facts, children, ScrapedRange(facts), kMostLooks)) {
    const TimeRange range{t - alert.range_ms, t};
    const double shown = QuantileBetween(children, alert.verdict.quantile, range);
    if (!Compares(shown, comparison, *threshold)) continue;
    if (above.empty() || above.back().end < range.start) {
      above.push_back(range);
    } else {
      above.back().end = t;
    }
  }
  return above;
}

}  // namespace schedlens
