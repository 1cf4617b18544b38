#include "diagnose/alert/panel.h"

#include "diagnose/collect/missing.h"
#include "promql/matcher.h"
#include "promql/parser.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// Times at which the alert is looked at; a chart is not wider.
constexpr std::int64_t kMostLooks = 240;
constexpr std::int64_t kSmallestStepMs = 5000;

/// The wording of the default question whose metric this source has; else the first.
std::string ChooseDefault(const QuerySet& queries, const Facts& facts, const std::string& family) {
  const auto& statements = queries.Get("alert").statements;
  auto chosen = std::ranges::find_if(
      statements, [&](const std::string& one) { return one.find(family) != std::string::npos; });
  if (chosen == statements.end()) chosen = statements.begin();
  return Substitute(*chosen, facts.selector, "5m");
}

/// The alert's value over all that was scraped; nothing without two scrapes.
std::optional<Query> LineQuery(const std::string& expression, const Facts& facts) {
  const TimeRange range = ScrapedRange(facts);
  if (range.end <= range.start) return std::nullopt;
  const std::int64_t step =
      std::max(kSmallestStepMs, (range.end - range.start) / kMostLooks / 1000 * 1000 + 1000);
  return Query{expression, range.start, range.end, step};
}

std::vector<Labels::Pair> PairsOf(const Labels& labels) { return {labels.begin(), labels.end()}; }

/// Whether no label of the series says that it is of other processes than the targets.
bool IsOfTargets(const Labels& series, const Facts& facts) {
  const Labels own = ProcessOf(series);
  return std::ranges::any_of(facts.targets, [&](const Target& target) {
    return std::ranges::any_of(target.processes,
                               [&](const Labels& labels) { return IsPartOf(labels, own); });
  });
}

/// The highest value; of series that are of the targets where there are any.
const Series* WorstOf(const Answer& answer, const Facts& facts) {
  return BestOf(answer, [&](const Series& series) {
    return std::optional(std::pair(IsOfTargets(series.labels, facts), series.samples.back().v));
  });
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

bool HasFamily(const Facts& facts, const std::string& family) {
  const auto is_of = [&](const Series& one) {
    const std::string name(one.labels.Get(kMetricName));
    return name == family || FamilyOf(name) == family;
  };
  return !family.empty() && std::ranges::any_of(facts.answers, [&](const auto& answer) {
    return std::ranges::any_of(answer.second, is_of);
  });
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

/// Whether these data or this evaluator have no answer to the expression (series that match twice):
/// then nothing is known of the alert, and of all else as much as without it.
bool IsRefused(const Error& error) {
  return error.kind() == ErrorKind::kUsage || dynamic_cast<const RefusedQuery*>(&error) != nullptr;
}

/// Once, whoever asked first.
void NoteRefusal(const Error& error, AlertPanel* panel) {
  std::vector<Message>& notes = panel->verdict.notes;
  if (std::ranges::find(notes, "alert.refused", &Message::id) != notes.end()) return;
  notes.push_back(Message("alert.refused", {{"why", error.what()}}));
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

constexpr std::size_t kMostTimes = 50;

/// Whether an absence of results says that the alert does not fire: not so of a bare value.
bool IsCondition(const promql::AlertExpression& alert) {
  if (!alert.comparison.empty()) return true;
  const auto is_absent = [](const auto& call) { return call.function->name.starts_with("absent"); };
  const auto is_set = [](const auto& binary) { return promql::IsSetOperation(binary.op); };
  return promql::FindNode<promql::Call>(*alert.ast, is_absent) != nullptr ||
         promql::FindNode<promql::Binary>(*alert.ast, is_set) != nullptr;
}

/// Evaluations that end with the window's end.
Query Over(const std::string& promql, const TimeRange& window) {
  const std::int64_t length = std::max<TimeMs>(window.end - window.start, 0);
  const std::int64_t step = std::max(kSmallestStepMs, (length / kMostLooks + 999) / 1000 * 1000);
  return {promql, window.end - length / step * step, window.end, step};
}

/// The series whose last value is worst, of those that have one at the end: lowest where the alert
/// asks for low values, nearest to the value that it asks for.
const Series* WorstAtEnd(const Answer& answer, const Query& query,
                         const promql::AlertExpression& alert) {
  constexpr TimeMs kNear = 60'000;
  const TimeMs since = query.end - std::max(query.step_ms, kNear);
  const double sign = alert.comparison.starts_with("<") ? -1 : 1;
  const bool one = alert.comparison == "==" && alert.compared_with;
  return BestOf(answer, [&](const Series& series) {
    const Sample& last = series.samples.back();
    if (last.t <= since) return std::optional<double>();
    return std::optional(one ? -std::abs(last.v - *alert.compared_with) : sign * last.v);
  });
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
  return std::ranges::any_of(compared.series, [&](const Series& series) {
    return std::ranges::any_of(series.samples, [&](const Sample& sample) {
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
  return std::ranges::any_of(answers, [](const Answer& answer) { return answer.series.empty(); });
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

/// The quantile of all attempts between two times, as a server interpolates it; NaN without any.
double QuantileBetween(const std::vector<ScrapeIncreases>& children, double q,
                       const TimeRange& range) {
  std::vector<ScrapeIncreases> inside;
  for (const ScrapeIncreases& child : children) inside.push_back(CellsInside(child, range));
  return PoolBuckets(inside).Interpolate(q);
}

}  // namespace

std::optional<double> AlertPanel::ThresholdInSeconds() const {
  // Those of the control plane are no threshold of attempts and pods.
  const bool of_scheduler = verdict.metric.starts_with(kube::kOwnPrefix);
  return asked.is_histogram_quantile && of_scheduler ? verdict.threshold : std::nullopt;
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
  try {
    if (panel.asked.is_histogram_quantile) ReadQuantile(source, facts, histograms, window, &panel);
    if (panel.own) ReadFires(source, window, &panel);
  } catch (const Error& error) {
    if (!panel.own || !IsRefused(error)) throw;
    NoteRefusal(error, &panel);
  }
  return panel;
}

void FillAlertLine(const AlertPanel& panel, const Facts& facts, const HistogramFacts& attempt,
                   Timeline* timeline) {
  if (timeline->times.empty()) return;
  std::vector<ScrapeIncreases> parts;
  if (panel.range_ms > 0 && panel.asked.is_histogram_quantile &&
      panel.verdict.metric == attempt.family) {
    const Labels series(panel.verdict.labels);
    for (ScrapeIncreases& cells : CellsOf(attempt, facts.targets, facts.fetched)) {
      if (IsPartOf(cells.labels, series)) parts.push_back(std::move(cells));
    }
  }
  for (std::size_t i = 0; i < timeline->times.size(); ++i) {
    const TimeMs t = timeline->times[i];
    const auto it = std::ranges::upper_bound(panel.line, t, {}, &Sample::t);
    if (it != panel.line.begin()) timeline->shown[i] = (it - 1)->v;
    std::vector<ScrapeIncreases> slices;
    for (const ScrapeIncreases& cells : parts) {
      slices.push_back(CellsInside(cells, {t - panel.range_ms, t}));
    }
    if (slices.empty()) continue;
    const double rank = RankAmong(panel.verdict.quantile, TotalCount(slices));
    const Interval proven = ProveRank(slices, rank).interval;
    if (proven.low) timeline->low[i] = *proven.low;
    if (proven.high) timeline->high[i] = *proven.high;
  }
}

bool IsPartOf(const Labels& child, const Labels& series) {
  return std::all_of(series.begin(), series.end(),
                     [&](const auto& label) { return child.Get(label.first) == label.second; });
}

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
  if (const Series* worst = WorstAtEnd(compared, queries[0], alert)) {
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
    const auto told = std::ranges::find(known, one.firing, &AlertEpisode::firing);
    if (told == known.end()) known.push_back(one);
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
  // The scheduler's other labels were matched when it was asked.
  std::vector<promql::Matcher> own = alert.asked.matchers;
  std::erase_if(own, [](const promql::Matcher& one) { return one.name != "result"; });
  std::erase_if(children, [&](const auto& child) { return !promql::Accept(own, child.labels); });
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

std::vector<TimeRange> TimesItHeld(Source& source, const Facts& facts,
                                   const HistogramFacts& attempt, AlertPanel* alert) {
  if (alert->asked.is_histogram_quantile && alert->verdict.metric == attempt.family) {
    return TimesAboveThreshold(*alert, facts, attempt);
  }
  const auto query = LineQuery(alert->whole, facts);
  if (!alert->own || !query || !IsCondition(alert->asked)) return {};
  const TimeMs back = std::max(alert->range_ms, query->step_ms);
  std::vector<TimeRange> held;
  Answer answer;
  try {
    answer = source.Ask(*query);
  } catch (const Error& error) {
    if (!IsRefused(error)) throw;
    NoteRefusal(error, alert);
    return {};
  }
  AddNotes(answer, &alert->warnings);
  alert->queries.push_back({"alert", query->promql, query->end, answer.series.size()});
  for (const TimeMs t : TimesOf(answer)) {
    if (held.empty() || held.back().end < t - back) held.push_back({t - back, t});
    held.back().end = t;
  }
  for (TimeRange& range : held) {  // what it saw last was scraped before
    TimeMs last = range.start;
    for (const Target& target : facts.targets) {
      const auto after = std::ranges::upper_bound(target.scrapes, range.end);
      if (after != target.scrapes.begin()) last = std::max(last, *std::prev(after));
    }
    range.end = last;
  }
  return held;
}

}  // namespace schedlens
