#include "analysis/alert/proof.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "analysis/quantile/quantile.h"
#include "promql/matcher.h"

namespace schedlens {
namespace {

/// How far before a window its first scrape may be.
constexpr TimeMs kLookbackMs = 5 * 60 * 1000;

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

bool IsOutside(double shown, const Interval& interval) {
  constexpr double kHair = 1e-9;
  return (interval.low && shown < *interval.low * (1 - kHair)) ||
         (interval.high && shown > *interval.high * (1 + kHair));
}

/// Both intervals' smallest common one.
Interval Hull(const Interval& a, const Interval& b) {
  Interval hull;
  if (a.low && b.low) hull.low = std::min(*a.low, *b.low);
  if (a.high && b.high) hull.high = std::max(*a.high, *b.high);
  return hull;
}

const QuantileExplanation* RowFor(const std::vector<QuantileExplanation>& rows,
                                  const Labels& labels) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.labels == labels; });
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
  const bool held = std::any_of(
      store.histograms.begin(), store.histograms.end(),
      [&](const auto* histogram) { return HoldsAll(facts, *histogram, request, info.extent); });
  std::optional<FetchedHistograms> fetched;
  if (!held) {
    fetched = FetchFor(source, request);
    store = fetched->View();
  }
  const auto rows = ExplainInStore(store, request);
  if (rows.empty()) {
    verdict->notes.emplace_back(verdict->given ? "alert.no_histogram" : "quantile.no_histogram");
  };
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

}  // namespace schedlens
