#include "analysis/alert/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/quantile/quantile.h"
#include "contract/notes.h"
#include "model/text.h"
#include "promql/matcher.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// Points of the alert's line; a chart is not wider.
constexpr std::int64_t kMostPoints = 240;
/// How far before a window its first scrape may be.
constexpr TimeMs kLookbackMs = 5 * 60 * 1000;

std::string DefaultExpression(const QuerySet& queries, const Facts& facts, std::size_t wording) {
  return Substitute(queries.Get("alert").statements[wording], facts.selector, "5m");
}

/// The wording of the default question whose metric this source has.
std::string ChooseDefault(const QuerySet& queries, const Facts& facts, const std::string& family) {
  const auto& statements = queries.Get("alert").statements;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (statements[i].find(family) != std::string::npos)
      return DefaultExpression(queries, facts, i);
  }
  return DefaultExpression(queries, facts, 0);
}

/// The alert's value over all that was scraped; nothing without two scrapes.
std::optional<Query> LineQuery(const std::string& expression, const Facts& facts) {
  const TimeRange range = ScrapedRange(facts);
  if (range.end <= range.start) return std::nullopt;
  const std::int64_t step =
      std::max<std::int64_t>(5000, (range.end - range.start) / kMostPoints / 1000 * 1000 + 1000);
  return Query{expression, range.start, range.end, step};
}

const Series* WorstOf(const Answer& answer) {
  const Series* worst = nullptr;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    if (worst == nullptr || series.samples.back().v > worst->samples.back().v) worst = &series;
  }
  return worst;
}

/// True when every label of the alert's series is the child's: the child is part of its sum.
bool IsPartOf(const Labels& child, const std::vector<Labels::Pair>& series) {
  return std::all_of(series.begin(), series.end(),
                     [&](const auto& label) { return child.Get(label.first) == label.second; });
}

/// Whether the facts hold every sample that the request looks at: of its family all that was found,
/// of the processes that its matchers pick, and from before its window on.
bool HoldsAll(const Facts& facts, const HistogramFacts& histogram, const QuantileRequest& request,
              const std::optional<TimeRange>& extent) {
  const promql::AlertExpression& asked = *request.expression;
  const bool family = !histogram.children.empty() &&
                      std::all_of(histogram.children.begin(), histogram.children.end(),
                                  [&](const auto& child) { return child.family == asked.family; });
  const auto narrows = [&](const promql::Matcher& matcher) {
    return std::find(asked.matchers.begin(), asked.matchers.end(), matcher) == asked.matchers.end();
  };
  const auto given = promql::ParseMatchers(facts.given_selector);
  const bool before = facts.fetched.start <= request.window.start - kLookbackMs ||
                      (extent && facts.fetched.start <= extent->start);
  return family && given && std::none_of(given->begin(), given->end(), narrows) && before &&
         facts.fetched.end >= request.window.end;
}

std::vector<QuantileExplanation> ExplainAlert(Source& source, const Facts& facts,
                                              const Histograms& histograms,
                                              const QuantileRequest& request) {
  const auto extent = source.Describe().extent;
  StoreView store{facts.targets, AllOf(histograms)};
  const bool held = std::any_of(
      store.histograms.begin(), store.histograms.end(),
      [&](const auto* histogram) { return HoldsAll(facts, *histogram, request, extent); });
  if (held) return ExplainInStore(store, request);
  const FetchedHistograms fetched = FetchFor(source, request);
  return ExplainInStore(fetched.View(), request);
}

/// The proven interval of the true quantile over the alert's own window, and the threshold's fate.
void ProveAlert(Source& source, const Facts& facts, const Histograms& histograms,
                const promql::AlertExpression& parsed, const Labels& worst, TimeMs end,
                AlertVerdict* verdict) {
  if (parsed.range_ms <= 0 || parsed.family.empty() || parsed.native) return;
  QuantileRequest request;
  request.expression = parsed;
  request.window = {end - parsed.range_ms, end};
  request.semantics = source.Describe().semantics;
  const auto rows = ExplainAlert(source, facts, histograms, request);
  if (rows.empty()) {
    verdict->notes.emplace_back(verdict->given ? "alert.no_histogram" : "quantile.no_histogram");
  }
  for (const QuantileExplanation& row : rows) {
    if (!(row.labels == worst)) continue;
    verdict->interval = row.proven.proof.interval;
    if (row.threshold) {
      verdict->decided = row.threshold->verdict.decided;
      verdict->notes.insert(verdict->notes.end(), row.threshold->notes.begin(),
                            row.threshold->notes.end());
    }
  }
}

/// Parts of the expression that take part in the alert and are not judged here.
void NoteWhatIsLeftOut(const promql::AlertExpression& parsed, AlertVerdict* verdict) {
  for (const std::string& part : parsed.outside) {
    verdict->notes.push_back(Message("alert.without", {{"part", arg::Promql(part)}}));
  }
  if (!parsed.comparison.empty() && !parsed.threshold) {
    verdict->notes.emplace_back("alert.threshold_not_number");
  }
}

}  // namespace

AlertPanel PlanAlert(const QuerySet& queries, const Facts& facts, const Histograms& histograms,
                     const std::string& expr) {
  AlertPanel panel;
  AlertVerdict& verdict = panel.verdict;
  const std::string fallback = ChooseDefault(queries, facts, histograms.attempt.family);
  promql::AlertExpression parsed = promql::ParseAlertExpression(expr.empty() ? fallback : expr);
  verdict.given = !expr.empty();
  verdict.expr = parsed.expr;
  if (!parsed.is_histogram_quantile) {
    verdict.notes.emplace_back("alert.not_a_quantile");
    parsed = promql::ParseAlertExpression(fallback);
  } else if (const double q = parsed.quantile.value_or(-1); !(q >= 0 && q <= 1)) {
    verdict.notes.emplace_back("alert.bad_quantile");
    parsed = promql::ParseAlertExpression(fallback);
  }
  verdict.metric = parsed.family.empty() ? parsed.selector_expression : parsed.family;
  panel.range_ms = parsed.range_ms;
  verdict.quantile = parsed.quantile.value_or(0.99);
  verdict.threshold = parsed.threshold;
  verdict.comparison = parsed.comparison;
  NoteWhatIsLeftOut(parsed, &verdict);
  panel.asked = std::move(parsed);
  return panel;
}

AlertPanel ReadAlert(Source& source, const Facts& facts, const Histograms& histograms,
                     const TimeRange& window, AlertPanel planned) {
  AlertPanel panel = std::move(planned);
  AlertVerdict& verdict = panel.verdict;
  const std::string& asked = panel.asked.quantile_expression;
  std::vector<Query> queries = {{asked, window.end, window.end, 0}};
  if (const auto line = LineQuery(asked, facts)) queries.push_back(*line);
  const std::vector<Answer> answers = source.AskAll(queries);
  for (const Answer& answer : answers) AddNotes(answer, &panel.warnings);
  panel.queries.push_back({"alert", asked, window.end, answers.front().series.size()});
  const Series* worst = WorstOf(answers.front());
  if (worst == nullptr) {
    verdict.notes.emplace_back(verdict.given ? "alert.no_value" : "quantile.no_value");
    return panel;
  }
  verdict.shown = worst->samples.back().v;
  for (const auto& [name, value] : worst->labels) verdict.labels.emplace_back(name, value);
  ProveAlert(source, facts, histograms, panel.asked, worst->labels, window.end, &verdict);
  if (answers.size() < 2) return panel;
  for (const Series& series : answers[1].series) {
    if (series.labels == worst->labels) panel.line = series.samples;
  }
  return panel;
}

void FillAlertLine(const AlertPanel& panel, const Facts& facts, const HistogramFacts& attempt,
                   Timeline* timeline) {
  if (timeline->times.empty()) return;
  std::vector<ScrapeIncreases> parts;
  if (panel.range_ms > 0 && panel.verdict.metric == attempt.family) {
    for (ScrapeIncreases& cells : CellsOf(attempt, facts.targets, facts.fetched)) {
      if (IsPartOf(cells.labels, panel.verdict.labels)) parts.push_back(std::move(cells));
    }
  }
  for (std::size_t i = 0; i < timeline->times.size(); ++i) {
    const TimeMs t = timeline->times[i];
    const auto it =
        std::upper_bound(panel.line.begin(), panel.line.end(), t,
                         [](TimeMs time, const Sample& sample) { return time < sample.t; });
    if (it != panel.line.begin()) timeline->shown[i] = (it - 1)->v;
    std::vector<ScrapeIncreases> slices;
    for (const ScrapeIncreases& cells : parts) {
      slices.push_back(CellsInside(cells, {t - panel.range_ms, t}));
    }
    if (slices.empty()) continue;
    double n = 0;
    for (const ScrapeIncreases& slice : slices) n += TotalCount(slice);
    const Interval proven = ProveRank(slices, RankAmong(panel.verdict.quantile, n)).interval;
    if (proven.low) timeline->low[i] = *proven.low;
    if (proven.high) timeline->high[i] = *proven.high;
  }
}

}  // namespace schedlens
