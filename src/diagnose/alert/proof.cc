#include <bit>

#include "diagnose/alert/panel.h"
#include "diagnose/explain/quantile.h"
#include "promql/evaluate.h"
#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

/// Whether the facts hold every sample that the request looks at: of its family all that was found,
/// of the processes that its matchers pick, and from before its window on.
bool HoldsAll(const Facts& facts, const HistogramFacts& histogram, const QuantileRequest& request,
              const std::optional<TimeRange>& extent) {
  const promql::AlertExpression& asked = *request.expression;
  const bool family = !histogram.children.empty() &&
                      std::ranges::all_of(histogram.children, [&](const auto& child) {
                        return child.family == asked.family;
                      });
  const auto narrows = [&](const promql::Matcher& matcher) {
    return std::ranges::find(asked.matchers, matcher) == asked.matchers.end();
  };
  const auto given = promql::ParseMatchers(facts.given_selector);
  const bool before = facts.fetched.start <= request.window.start - promql::kLookbackMs ||
                      (extent && facts.fetched.start <= extent->start);
  return family && given && std::ranges::none_of(*given, narrows) && before &&
         facts.fetched.end >= request.window.end;
}

bool IsOutside(double shown, const Interval& interval) {
  constexpr double kHair = 1e-9;
  return (interval.low && shown < *interval.low * (1 - kHair)) ||
         (interval.high && shown > *interval.high * (1 + kHair));
}

Interval Hull(const Interval& a, const Interval& b) {
  Interval hull;
  if (a.low && b.low) hull.low = std::min(*a.low, *b.low);
  if (a.high && b.high) hull.high = std::max(*a.high, *b.high);
  return hull;
}

const QuantileExplanation* RowFor(const std::vector<QuantileExplanation>& rows,
                                  const Labels& labels) {
  const auto row = std::ranges::find(rows, labels, &QuantileExplanation::labels);
  return row == rows.end() ? nullptr : &*row;
}

/// The same range as the server takes it, from its first scrape on: at its very start only before
/// Prometheus 3. VictoriaMetrics takes the scrape before the range too.
std::optional<QuantileRequest> AsTheServer(QuantileRequest request) {
  if (request.semantics.IsVictoriaMetrics()) return std::nullopt;
  request.inside = true;
  if (request.semantics.major >= 3) ++request.window.start;
  return request;
}

/// What the range from the last scrape before it says, held against what its own scrapes say.
void Reconcile(const QuantileExplanation& inside, AlertVerdict* verdict) {
  const Interval& interval = inside.proven.proof.interval;
  if (!interval.low && !interval.high) return;
  const auto decided =
      inside.threshold ? inside.threshold->verdict.decided : std::optional<Decided>();
  const bool differ = decided && verdict->decided && decided != verdict->decided;
  const bool shown = verdict->shown && IsOutside(*verdict->shown, verdict->interval) &&
                     !IsOutside(*verdict->shown, interval);
  if (differ || shown) verdict->interval = Hull(verdict->interval, interval);
  if (!differ || verdict->decided == Decided::kUndecidable) return;
  verdict->decided = Decided::kUndecidable;
  verdict->notes.push_back(
      Message("alert.edges", {{"threshold", arg::Duration(verdict->threshold.value_or(0))}}));
}

/// Sorts before every usual label name, so that samples in memory keep the server's order.
constexpr const char* kOrder = "A0_order";
constexpr std::int64_t kSlackMs = 5 * 60 * 1000;
constexpr const char* kRates = "inner_rate";
/// A recorded value older than this is another evaluation's.
constexpr const char* kRecordedWithin = "5m";

Query At(std::string promql, TimeMs at) { return {std::move(promql), at, at, 0}; }

bool Agree(double a, double b, bool exact) {
  if (exact) return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

/// The raw samples behind the rates, and some before: VictoriaMetrics looks at the sample before
/// the window too.
std::string WiderSelector(const promql::AlertExpression& expression) {
  promql::Expr wider = *promql::Parse(expression.selector_expression);
  if (auto* selector = std::get_if<promql::Selector>(&wider.node)) selector->range_ms += kSlackMs;
  return promql::ToString(wider);
}

/// Bits are claimed for Prometheus only.
bool ClaimsBits(const SourceInfo& info) {
  return info.exact && !info.semantics.IsVictoriaMetrics();
}

/// The quantile over series named kRates instead of the inner expression.
std::string OverRates(const promql::AlertExpression& expression) {
  std::string text = expression.quantile_expression;
  const std::size_t at = text.find(expression.inner_expression);
  text.replace(at, expression.inner_expression.size(), kRates);
  const promql::ExprPtr tree = promql::Rewrite(promql::Parse(text), [](promql::Expr& node) {
    auto* aggregation = std::get_if<promql::Aggregation>(&node.node);
    if (aggregation != nullptr && aggregation->grouping == promql::Grouping::kWithout) {
      aggregation->labels.emplace_back(kOrder);
    }
  });
  return promql::ToString(*tree);
}

/// The quantile of these rates for one series of the result.
std::optional<double> QuantileOfRates(const promql::AlertExpression& expression,
                                      std::vector<Series> rates, const Labels& labels, TimeMs at,
                                      const Semantics& semantics) {
  const bool summed = !expression.aggregations.empty();
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i].labels = rates[i].labels.With(kMetricName, kRates);
    if (summed) rates[i].labels = rates[i].labels.With(kOrder, fmt::format("{:08}", i));
  }
  const Answer answer = promql::Evaluate(promql::SeriesStore(std::move(rates)),
                                         At(OverRates(expression), at), {.semantics = semantics});
  for (const Series& series : answer.series) {
    if (series.labels == labels && !series.samples.empty()) return series.samples.back().v;
  }
  return std::nullopt;
}

/// How many of the server's rates the raw samples give too.
std::size_t AgreeingRates(const std::vector<Series>& raw, const std::vector<Series>& rates,
                          const promql::AlertExpression& expression, TimeMs at,
                          const SourceInfo& info) {
  const Answer ours = promql::Evaluate(
      promql::SeriesStore(raw), At(expression.inner_expression, at), {.semantics = info.semantics});
  std::map<Labels, double> redone;
  for (const Series& series : ours.series) redone[series.labels] = series.samples.back().v;
  return static_cast<std::size_t>(std::ranges::count_if(rates, [&](const Series& series) {
    const auto found = redone.find(series.labels);
    return found != redone.end() && Agree(found->second, series.samples.back().v, ClaimsBits(info));
  }));
}

/// The quantile's series that goes with what the server stored: the one whose labels say nothing
/// else; of several the largest.
const Series* SeriesOf(const Answer& answer, const Labels& stored) {
  return BestOf(answer, [&](const Series& series) {
    return IsPartOf(stored, series.labels) ? std::optional(series.samples.back().v) : std::nullopt;
  });
}

std::optional<Recomputed> RecomputeAt(Source& source, const promql::AlertExpression& expression,
                                      const Labels& stored, TimeMs at) {
  const Answer answer = source.Ask(At(expression.quantile_expression, at));
  const Series* series = SeriesOf(answer, stored);
  if (series == nullptr) return std::nullopt;
  return RecomputeQuantile(source, expression, series->labels, series->samples.back().v, at);
}

/// The sample that a recording rule stored last before the time, if the alert stands on one.
std::optional<Recomputed> CompareRecorded(Source& source, const ResolvedAlert& alert,
                                          const Labels& labels, TimeMs at) {
  const promql::AlertExpression written = promql::ParseAlertExpression(alert.expr);
  if (written.is_histogram_quantile || written.range_ms != 0 || written.family.empty()) {
    return std::nullopt;
  }
  const Answer recorded =
      source.Ask(At(fmt::format("{}[{}]", written.selector_expression, kRecordedWithin), at));
  for (const Series& series : recorded.series) {
    if (series.samples.empty()) continue;
    if (!IsPartOf(labels, series.labels.Without(kMetricName))) continue;
    const Sample& last = series.samples.back();
    auto compared =
        RecomputeAt(source, alert.expression, series.labels.Without(kMetricName), last.t);
    if (!compared || !compared->recomputed) return std::nullopt;
    compared->what = Message("recomputed.rule", {{"rule", arg::Metric(written.family)}});
    compared->shown = last.v;
    compared->agrees = Agree(last.v, *compared->recomputed, compared->tolerance == "bits");
    return compared;
  }
  return std::nullopt;
}

}  // namespace

void ProveAlert(Source& source, const Facts& facts, const Histograms& histograms,
                const promql::AlertExpression& alert, const Labels& worst, TimeMs end,
                AlertVerdict* verdict) {
  if (alert.range_ms <= 0 || alert.family.empty() || alert.native) return;
  const SourceInfo info = source.Describe();
  QuantileRequest request;
  request.expression = alert;
  request.window = {end - alert.range_ms, end};
  request.semantics = info.semantics;
  StoreView store{facts.targets, AllOf(histograms)};
  const bool held = std::ranges::any_of(store.histograms, [&](const auto* histogram) {
    return HoldsAll(facts, *histogram, request, info.extent);
  });
  std::optional<FetchedHistograms> fetched;
  if (!held) {
    fetched = FetchFor(source, request);
    store = fetched->View();
  }
  const auto rows = ExplainInStore(store, request);
  if (rows.empty()) {
    verdict->notes.emplace_back(verdict->given ? "alert.no_histogram" : "quantile.no_histogram");
  }
  const QuantileExplanation* row = RowFor(rows, worst);
  if (row == nullptr) return;
  verdict->interval = row->proven.proof.interval;
  if (row->threshold) {
    verdict->decided = row->threshold->verdict.decided;
    verdict->notes.insert(verdict->notes.end(), row->threshold->notes.begin(),
                          row->threshold->notes.end());
  }
  if (const auto again = AsTheServer(request)) {
    const auto inside = ExplainInStore(store, *again);
    if (const auto* same = RowFor(inside, worst)) Reconcile(*same, verdict);
  }
  verdict->shown_proven_wrong = verdict->shown && IsOutside(*verdict->shown, verdict->interval);
}

std::optional<Recomputed> RecomputeQuantile(Source& source,
                                            const promql::AlertExpression& expression,
                                            const Labels& labels, double shown, TimeMs at) {
  if (!expression.is_histogram_quantile || expression.native || expression.function.empty() ||
      expression.inner_expression.empty()) {
    return std::nullopt;
  }
  const SourceInfo info = source.Describe();
  std::vector<Answer> answers =
      source.AskAll({At(WiderSelector(expression), at), At(expression.inner_expression, at)});
  const std::vector<Series>& rates = answers[1].series;
  Recomputed result;
  result.what = Message("recomputed.alert");
  result.at = at;
  result.shown = shown;
  result.tolerance = ClaimsBits(info) ? "bits" : "1e-9";
  result.rates = rates.size();
  result.agreeing_rates = AgreeingRates(answers[0].series, rates, expression, at, info);
  result.recomputed = QuantileOfRates(expression, rates, labels, at, info.semantics);
  result.agrees = result.recomputed && Agree(shown, *result.recomputed, ClaimsBits(info)) &&
                  result.agreeing_rates == result.rates;
  return result;
}

std::vector<Recomputed> CompareWithStored(Source& source, const ResolvedAlert& alert,
                                          const TimeRange& range) {
  std::vector<Recomputed> compared;
  if (alert.name.empty() || !alert.expression.is_histogram_quantile) return compared;
  const std::vector<Firing> firings = FindFirings(source, alert.name, range);
  if (firings.empty()) return compared;
  const Firing& first = firings.front();
  auto fired = RecomputeAt(source, alert.expression, first.labels, first.start);
  if (fired && alert.expression.threshold) {
    fired->what = Message("recomputed.fired", {{"alert", alert.name}});
    fired->agrees =
        fired->agrees && fired->recomputed &&
        Compares(*fired->recomputed, alert.expression.comparison, *alert.expression.threshold);
    compared.push_back(*fired);
  }
  if (auto recorded = CompareRecorded(source, alert, first.labels, first.start)) {
    compared.push_back(std::move(*recorded));
  }
  return compared;
}

}  // namespace schedlens
