// Selectors and subqueries: which samples a step sees.

#include <algorithm>
#include <memory>

#include "model/seconds.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"

namespace schedlens::promql {

TimeMs Evaluation::Shifted(std::size_t i, const TimeShift& shift) const {
  TimeMs t = steps.At(i);
  switch (shift.at) {
    case TimeShift::At::kNone:
      break;
    case TimeShift::At::kTime:
      t = shift.at_time;
      break;
    case TimeShift::At::kStart:
      t = query_start;
      break;
    case TimeShift::At::kEnd:
      t = query_end;
      break;
  }
  return t - shift.offset_ms;
}

namespace {

/// Puts the histograms of a series, where they are what a step sees, into the last row.
void AddNatives(const Evaluation& evaluation, const Selector& selector, const StoredSeries& series,
                bool timestamps, StepVector* result) {
  const std::size_t row = result->rows() - 1;
  const std::vector<NativeSample>& histograms = series.extras->histograms;
  const std::span<const TimeMs> stale_times = series.extras->stale;
  const auto later = [](TimeMs time, const NativeSample& sample) { return time < sample.t; };
  // A histogram is read once however many steps see it.
  NativePtr native;
  const NativeSample* read = nullptr;
  for (std::size_t i = 0; i < result->steps(); ++i) {
    const TimeMs t = evaluation.Shifted(i, selector.shift);
    const auto after = std::upper_bound(histograms.begin(), histograms.end(), t, later);
    if (after == histograms.begin()) continue;
    const NativeSample& sample = *(after - 1);
    const TimeMs oldest = t - evaluation.lookback_ms;
    if (sample.t < oldest || (sample.t == oldest && evaluation.left_open())) continue;
    // A float of the same time or later is what the step sees, a later stale marker ends both.
    const auto floats = std::upper_bound(series.times.begin(), series.times.end(), t);
    if (floats != series.times.begin() && *(floats - 1) >= sample.t) continue;
    const auto stale = std::upper_bound(stale_times.begin(), stale_times.end(), t);
    if (stale != stale_times.begin() && *(stale - 1) > sample.t) continue;
    if (timestamps) {
      result->Row(row)[i] = MsToSeconds(sample.t);
      continue;
    }
    if (read != &sample) native = std::make_shared<NativeValue>(NativeValueOf(sample.h));
    read = &sample;
    result->SetNative(row, i, native);
  }
}

}  // namespace

StepVector EvaluateSelector(const Evaluation& evaluation, const Selector& selector,
                            bool timestamps) {
  const std::vector<const StoredSeries*> selected = evaluation.store.Select(selector.matchers);
  StepVector result(evaluation.steps.count);
  result.Reserve(selected.size());
  for (const StoredSeries* series : selected) {
    if (series->times.empty() && series->extras->histograms.empty()) continue;
    const std::span<double> row = result.Append(series->labels);
    std::size_t next = 0;  // first sample after the step
    const std::span<const TimeMs> stale_times = series->extras->stale;
    std::size_t stale = 0;
    bool some = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const TimeMs t = evaluation.Shifted(i, selector.shift);
      if (i == 0) {
        next = static_cast<std::size_t>(
            std::upper_bound(series->times.begin(), series->times.end(), t) -
            series->times.begin());
      }
      while (next < series->times.size() && series->times[next] <= t) ++next;
      while (stale < stale_times.size() && stale_times[stale] <= t) ++stale;
      if (next == 0) continue;
      const TimeMs at = series->times[next - 1];
      const TimeMs oldest = t - evaluation.lookback_ms;
      if (at < oldest || (at == oldest && evaluation.left_open())) continue;
      if (stale > 0 && stale_times[stale - 1] > at) continue;
      row[i] = timestamps ? MsToSeconds(at) : series->values[next - 1];
      some = true;
    }
    if (!series->extras->histograms.empty()) {
      AddNatives(evaluation, selector, *series, timestamps, &result);
    }
    if (!some) result.DropIfEmpty();
  }
  return result;
}

namespace {

/// The subquery's own steps: multiples of its step, from just inside the first window to the end
/// of the last.
Evaluation InnerEvaluation(const Evaluation& evaluation, const Subquery& subquery) {
  constexpr std::int64_t kDefaultStep = 60 * 1000;
  constexpr std::int64_t kSilence = 5 * 60 * 1000;
  Evaluation inner = evaluation;
  const std::int64_t step = subquery.step_ms == 0 ? kDefaultStep : subquery.step_ms;
  const std::size_t last = evaluation.steps.count - 1;
  const TimeMs a = evaluation.Shifted(0, subquery.shift);
  const TimeMs b = evaluation.Shifted(last, subquery.shift);
  TimeMs from = std::min(a, b) - subquery.range_ms;
  // VictoriaMetrics looks at the sample before the window, there too.
  if (evaluation.semantics.IsVictoriaMetrics()) from -= step + kSilence;
  TimeMs start = step * (from / step);
  if (start < from || (start == from && evaluation.left_open())) start += step;
  const TimeMs stop = std::max(a, b);
  inner.steps.start = start;
  inner.steps.step_ms = step;
  inner.steps.count = stop < start ? 0 : static_cast<std::size_t>((stop - start) / step) + 1;
  return inner;
}

std::vector<TimeMs> WindowEnds(const Evaluation& evaluation, const TimeShift& shift) {
  std::vector<TimeMs> ends(evaluation.steps.count);
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = evaluation.Shifted(i, shift);
  return ends;
}

constexpr std::size_t kMostInnerSteps = 1'000'000;

RangeVector EvaluateSubquery(const Evaluation& evaluation, const Subquery& subquery,
                             const Expr& expr) {
  RangeVector range;
  range.range_ms = subquery.range_ms;
  range.ends = WindowEnds(evaluation, subquery.shift);
  const Evaluation inner = InnerEvaluation(evaluation, subquery);
  if (inner.steps.count == 0) return range;
  if (inner.steps.count > kMostInnerSteps) {
    ThrowAt(evaluation.text, expr.begin, "the subquery has more than a million steps");
  }
  const StepVector vector = EvaluateVector(inner, *subquery.expr);
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    ProducedSeries& series = range.owned.emplace_back();
    series.labels = vector.labels(row);
    const std::span<const double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (IsAbsent(values[i])) continue;
      if (!series.values.empty() && values[i] < series.values.back()) {
        series.drops.push_back(static_cast<std::uint32_t>(series.values.size()));
      }
      series.times.push_back(inner.steps.At(i));
      series.values.push_back(values[i]);
    }
    range.series.push_back({&series.labels, series.times, series.values, series.drops, {}});
  }
  return range;
}

/// The window of VictoriaMetrics' `rate(x)`: the step, which is five minutes by default.
std::int64_t ImpliedRange(const Evaluation& evaluation) {
  constexpr std::int64_t kDefaultStep = 5 * 60 * 1000;
  return evaluation.instant ? kDefaultStep : evaluation.steps.step_ms;
}

}  // namespace

RangeVector EvaluateRange(const Evaluation& evaluation, const Expr& expr) {
  const Expr& inner = WithoutParens(expr);
  if (const auto* subquery = inner.As<Subquery>()) {
    return EvaluateSubquery(evaluation, *subquery, inner);
  }
  const Selector& selector = *inner.As<Selector>();
  RangeVector range;
  range.range_ms = selector.range_ms == 0 ? ImpliedRange(evaluation) : selector.range_ms;
  range.ends = WindowEnds(evaluation, selector.shift);
  range.edges = selector.edges;
  if (range.edges != Edges::kPlain && !evaluation.semantics.AtLeast(3, 7)) {
    ThrowAt(evaluation.text, inner.begin,
            "anchored and smoothed need --semantics 3.7 or newer; " +
                schedlens::ToString(evaluation.semantics) + " does not know them");
  }
  for (const StoredSeries* series : evaluation.store.Select(selector.matchers)) {
    if (series->times.empty() && series->extras->histograms.empty()) continue;
    range.series.push_back({&series->labels, series->times, series->values, series->extras->drops,
                            series->extras->histograms});
  }
  return range;
}

}  // namespace schedlens::promql
