#include "diagnose/alert/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/series.h"
#include "base/source.h"
#include "base/text.h"
#include "diagnose/alert/fires.h"
#include "diagnose/alert/proof.h"
#include "diagnose/alert/target.h"
#include "diagnose/collect/why_empty.h"
#include "promql/alert_expression.h"
#include "promql/parser.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// Points of the alert's line; a chart is not wider.
constexpr std::int64_t kMostPoints = 240;

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

std::vector<Labels::Pair> PairsOf(const Labels& labels) { return {labels.begin(), labels.end()}; }

/// Whether no label of the series says that it is of other processes than the targets.
bool IsOfTargets(const Labels& series, const Facts& facts) {
  const Labels own = series.Without(MeasurementLabels());
  return std::any_of(facts.targets.begin(), facts.targets.end(), [&](const Target& target) {
    return std::any_of(target.processes.begin(), target.processes.end(), [&](const Labels& labels) {
      return std::all_of(own.begin(), own.end(), [&](const auto& label) {
        return labels.Get(label.first) == label.second;
      });
    });
  });
}

/// The highest value; of series that are of the targets where there are any.
const Series* WorstOf(const Answer& answer, const Facts& facts) {
  const Series* worst = nullptr;
  bool own = false;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    const bool is_own = IsOfTargets(series.labels, facts);
    if (worst != nullptr && own && !is_own) continue;
    if (worst == nullptr || (is_own && !own) || series.samples.back().v > worst->samples.back().v) {
      worst = &series;
      own = is_own;
    }
  }
  return worst;
}

/// True when every label of the alert's series is the child's: the child is part of its sum.
bool IsPartOf(const Labels& child, const std::vector<Labels::Pair>& series) {
  return std::all_of(series.begin(), series.end(),
                     [&](const auto& label) { return child.Get(label.first) == label.second; });
}

/// The expression as it is asked here: of the facts' schedulers only. A pair of raw pages has two
/// scrapes, however far apart, and none of the labels that a scrape adds.
std::string ForWhatIsHere(const std::string& expr, const Facts& facts, const SourceInfo& source) {
  const std::string narrowed = NarrowedExpression(expr, facts.given_selector);
  if (source.kind != "scrape-pair" || !source.extent) return narrowed;
  std::set<std::string> known;
  for (const Target& target : facts.targets) {
    for (const Labels& process : target.processes) {
      for (const auto& [name, value] : process) known.emplace(name);
    }
  }
  const TimeMs span = source.extent->end - source.extent->start;
  return WithoutUnknownTargets(WithRange(narrowed, span + 1000), known);
}

/// Whether a question found the metric.
bool HasFamily(const Facts& facts, const std::string& family) {
  for (const auto& [question, series] : facts.answers) {
    if (series.empty() || family.empty()) continue;
    const bool found = std::any_of(series.begin(), series.end(), [&](const Series& one) {
      const std::string name(one.labels.Get(kMetricName));
      return name == family || FamilyOf(name) == family;
    });
    if (found) return true;
  }
  return false;
}

/// Of conditions that `or` joins the first whose metric is here; the expression itself without any.
std::string ChooseAlternative(const std::string& expr, const Facts& facts,
                              std::vector<Message>* notes) {
  const std::vector<std::string> all = promql::Alternatives(expr);
  if (all.size() < 2) return expr;
  std::vector<std::string> here;
  for (const std::string& one : all) {
    if (HasFamily(facts, promql::ParseAlertExpression(one).family)) here.push_back(one);
  }
  const std::string& chosen = here.empty() ? all.front() : here.front();
  notes->push_back(Message(here.size() == 1 ? "alert.or.only" : "alert.or.first",
                           {{"part", arg::Promql(chosen)}, {"count", arg::Count(all.size())}}));
  return chosen;
}

/// What was judged: labels that all processes share, and those that the expression asks for.
std::vector<Labels::Pair> PopulationOf(const Facts& facts, const promql::AlertExpression& asked) {
  std::set<std::string> names = {"cluster", "job", "namespace", "instance", "pod"};
  std::vector<Labels::View> pairs;
  for (const promql::Matcher& matcher : asked.matchers) {
    names.insert(matcher.name);
    if (matcher.op == promql::MatchOp::kEqual) pairs.emplace_back(matcher.name, matcher.value);
  }
  std::optional<Labels> shared;
  for (const Target& target : facts.targets) {
    for (const Labels& process : target.processes) {
      const Labels named = process.Only({names.begin(), names.end()});
      if (!shared) shared = named;
      std::vector<std::string> differing;
      for (const auto& [name, value] : *shared) {
        if (named.Get(name) != value) differing.emplace_back(name);
      }
      shared = shared->Without(differing);
    }
  }
  Labels all(std::move(pairs));
  for (const auto& [name, value] : shared.value_or(Labels())) all = all.With(name, value);
  return PairsOf(all);
}

/// That there is no value, and of an alert that was given why.
void NoteNoValue(Source& source, const std::string& expr, const TimeRange& window,
                 AlertVerdict* verdict) {
  verdict->notes.emplace_back(verdict->given ? "alert.no_value" : "quantile.no_value");
  if (!verdict->given) return;
  for (Message& hint : WhyEmptyOf(source, expr, {window.end, window.end})) {
    verdict->notes.push_back(Message("alert.why_no_value", {{"why", std::move(hint)}}));
  }
}

/// What the quantile shows, what is proven about it, and its line over the recording.
void ReadQuantile(Source& source, const Facts& facts, const Histograms& histograms,
                  const TimeRange& window, AlertPanel* panel) {
  AlertVerdict& verdict = panel->verdict;
  const std::string& asked = panel->asked.quantile_expression;
  std::vector<Query> queries = {{asked, window.end, window.end, 0}};
  if (const auto line = LineQuery(asked, facts)) queries.push_back(*line);
  const std::vector<Answer> answers = source.AskAll(queries);
  for (const Answer& answer : answers) AddNotes(answer, &panel->warnings);
  panel->queries.push_back({"alert", asked, window.end, answers.front().series.size()});
  const Series* worst = WorstOf(answers.front(), facts);
  if (worst == nullptr) {
    NoteNoValue(source, asked, window, &verdict);
    return;
  }
  verdict.shown = verdict.value = worst->samples.back().v;
  verdict.labels = PairsOf(worst->labels);
  ProveAlert(source, facts, histograms, panel->asked, worst->labels, window.end, &verdict);
  if (answers.size() < 2) return;
  for (const Series& series : answers[1].series) {
    if (series.labels == worst->labels) panel->line = series.samples;
  }
}

/// Whether the whole expression held, and the value that it compares.
void ReadFires(Source& source, const TimeRange& window, AlertPanel* panel) {
  promql::AlertExpression whole = panel->asked;
  whole.expr = panel->whole;
  whole.ast = promql::Parse(panel->whole);
  AlertAnswer answer = AskWhetherItFires(source, whole, window);
  AlertVerdict& verdict = panel->verdict;
  verdict.fires = std::move(answer.fires);
  verdict.value = answer.value;
  AddNew(answer.warnings, &panel->warnings);
  panel->queries.insert(panel->queries.end(), answer.queries.begin(), answer.queries.end());
  if (panel->asked.is_histogram_quantile) return;
  verdict.labels = PairsOf(answer.labels);
  if (!answer.value) NoteNoValue(source, whole.expr, window, &verdict);
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

std::optional<double> AlertPanel::ThresholdInSeconds() const {
  return asked.is_histogram_quantile ? verdict.threshold : std::nullopt;
}

AlertPanel PlanAlert(const QuerySet& queries, const Facts& facts, const Histograms& histograms,
                     const std::string& expr, const SourceInfo& source) {
  AlertPanel panel;
  AlertVerdict& verdict = panel.verdict;
  const std::string fallback = ChooseDefault(queries, facts, histograms.attempt.family);
  verdict.expr = expr.empty() ? fallback : expr;
  verdict.given = !expr.empty();
  const std::string judged = ChooseAlternative(verdict.expr, facts, &verdict.notes);
  promql::AlertExpression parsed =
      promql::ParseAlertExpression(ForWhatIsHere(judged, facts, source));
  panel.whole = ForWhatIsHere(verdict.expr, facts, source);
  panel.own = !expr.empty();
  if (!parsed.is_histogram_quantile) {
    verdict.notes.emplace_back("alert.not_a_quantile");
    verdict.quantile = NAN;
  } else if (const double q = parsed.quantile.value_or(-1); q >= 0 && q <= 1) {
    verdict.quantile = q;
    NoteWhatIsLeftOut(promql::ParseAlertExpression(judged), &verdict);
  } else {
    verdict.notes.emplace_back("alert.bad_quantile");
    parsed = promql::ParseAlertExpression(fallback);
    verdict.quantile = parsed.quantile.value_or(0.99);
    panel.own = false;
  }
  verdict.metric = parsed.family.empty() ? parsed.selector_expression : parsed.family;
  panel.range_ms = parsed.range_ms;
  verdict.threshold = parsed.threshold;
  verdict.comparison = parsed.comparison;
  verdict.population = PopulationOf(facts, parsed);
  panel.asked = std::move(parsed);
  return panel;
}

AlertPanel ReadAlert(Source& source, const Facts& facts, const Histograms& histograms,
                     const TimeRange& window, AlertPanel planned) {
  AlertPanel panel = std::move(planned);
  if (panel.asked.is_histogram_quantile) {
    ReadQuantile(source, facts, histograms, window, &panel);
  }
  if (panel.own) ReadFires(source, window, &panel);
  return panel;
}

void FillAlertLine(const AlertPanel& panel, const Facts& facts, const HistogramFacts& attempt,
                   Timeline* timeline) {
  if (timeline->times.empty()) return;
  std::vector<ScrapeIncreases> parts;
  if (panel.range_ms > 0 && panel.asked.is_histogram_quantile &&
      panel.verdict.metric == attempt.family) {
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
