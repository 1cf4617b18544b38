#include "promql/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/text.h"
#include "base/work_budget.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens::promql {

TimeMs Evaluation::Shifted(std::size_t i, const TimeShift& shift) const {
  using enum TimeShift::At;
  TimeMs t = steps.At(i);
  if (shift.at == kTime) t = shift.at_time;
  if (shift.at == kStart) t = query_start;
  if (shift.at == kEnd) t = query_end;
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

// Keeps a mistyped step from asking for all memory; servers stop at 11,000.
constexpr std::int64_t kMostSteps = 1'000'000;

constexpr const char* kTypeLabel = "__type__";
constexpr const char* kUnitLabel = "__unit__";

StepValue EvaluateUnary(const Evaluation& evaluation, const Unary& unary) {
  StepValue value = EvaluateSteps(evaluation, *unary.expr);
  if (!unary.minus) return value;
  if (auto* scalar = std::get_if<ScalarSteps>(&value)) {
    for (double& v : *scalar) v = -v;
    return value;
  }
  auto& vector = std::get<StepVector>(value);
  if (vector.HasNatives()) {
    NeedNative(evaluation, 3, 0, "-", *unary.expr);
    ScaleNatives(-1, &vector);
  }
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    for (double& v : vector.Row(row)) {
      if (!IsAbsent(v)) v = -v;
    }
    vector.set_labels(row, WithoutName(evaluation, vector.labels(row)));
  }
  return JoinEqualRows(std::move(vector), !evaluation.semantics.AtLeast(3, 9));
}

Steps StepsOf(const Query& query) {
  if (query.instant()) return {query.start, 1, 1};
  const auto refuse = [](const std::string& why) { throw Error(ErrorKind::kUsage, why); };
  if (query.step_ms <= 0) refuse("a range query needs a step longer than zero");
  if (query.end < query.start) refuse("a range query's end lies before its start");
  const std::int64_t count = (query.end - query.start) / query.step_ms + 1;
  if (count > kMostSteps) {
    refuse(fmt::format("the range query has {} steps, more than {}: take a longer step", count,
                       kMostSteps));
  }
  return {query.start, query.step_ms, static_cast<std::size_t>(count)};
}

void SortByLabels(std::vector<Series>* series) {
  const auto before = [](const Series& a, const Series& b) { return a.labels < b.labels; };
  // What was selected is in this order.
  if (std::is_sorted(series->begin(), series->end(), before)) return;
  std::stable_sort(series->begin(), series->end(), before);
}

std::vector<Series> ToSeries(const StepVector& vector, const Steps& steps) {
  std::vector<Series> series;
  series.reserve(vector.rows());
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    Series& each = series.emplace_back();
    each.labels = vector.labels(row);
    const std::span<const double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!IsAbsent(values[i])) each.samples.push_back({steps.At(i), values[i]});
      const NativePtr native = vector.Native(row, i);
      if (native) each.histograms.push_back({steps.At(i), NativeHistogramOf(*native)});
    }
  }
  return series;
}

/// A range selector or subquery by itself: the samples as they are.
void AnswerMatrix(const Evaluation& evaluation, const Expr& expr, Answer* answer) {
  answer->kind = ValueKind::kMatrix;
  const RangeVector range = EvaluateRange(evaluation, expr);
  if (range.edges != Edges::kPlain) {
    ThrowAt(evaluation.text, expr.begin,
            "anchored and smoothed are only allowed inside a function");
  }
  answer->series.reserve(range.series.size());
  for (const RangeSeries& each : range.series) {
    WindowCursor cursor(evaluation, range, each);
    cursor.Move(0);
    const std::span<const NativeSample> natives = NativesInWindow(evaluation, range, each, 0);
    if (cursor.first() == cursor.end() && natives.empty()) continue;
    Series& series = answer->series.emplace_back();
    series.labels = *each.labels;
    series.samples.reserve(cursor.end() - cursor.first());
    for (std::size_t i = cursor.first(); i < cursor.end(); ++i) {
      series.samples.push_back({each.times[i], each.values[i]});
    }
    series.histograms.assign(natives.begin(), natives.end());
  }
  SortByLabels(&answer->series);
}

void AnswerSteps(const Evaluation& evaluation, const Expr& expr, Answer* answer) {
  StepValue value = EvaluateSteps(evaluation, expr);
  const auto* scalar = std::get_if<ScalarSteps>(&value);
  if (scalar != nullptr && evaluation.semantics.IsVictoriaMetrics()) {
    // It knows no scalars: a number is a series without labels, NaN is nothing.
    StepVector vector(scalar->size());
    vector.Append(Labels(), *scalar);
    DropNaNs(evaluation, &vector);
    value = std::move(vector);
  } else if (scalar != nullptr) {
    answer->kind = evaluation.instant ? ValueKind::kScalar : ValueKind::kMatrix;
    Series& series = answer->series.emplace_back();
    for (std::size_t i = 0; i < scalar->size(); ++i) {
      series.samples.push_back({evaluation.steps.At(i), (*scalar)[i]});
    }
    return;
  }
  answer->kind = evaluation.instant ? ValueKind::kVector : ValueKind::kMatrix;
  answer->series = ToSeries(std::get<StepVector>(value), evaluation.steps);
  if (!evaluation.instant) SortByLabels(&answer->series);
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

RangeVector EvaluateRange(const Evaluation& evaluation, const Expr& expr) {
  const Expr& inner = WithoutParens(expr);
  if (const auto* subquery = inner.As<Subquery>()) {
    return EvaluateSubquery(evaluation, *subquery, inner);
  }
  const Selector& selector = *inner.As<Selector>();
  RangeVector range;
  // The window of VictoriaMetrics' `rate(x)` is the step, which is five minutes by default.
  const std::int64_t implied = evaluation.instant ? 5 * 60 * 1000 : evaluation.steps.step_ms;
  range.range_ms = selector.range_ms == 0 ? implied : selector.range_ms;
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

void DropNaNs(const Evaluation& evaluation, StepVector* vector) {
  if (!evaluation.semantics.IsVictoriaMetrics()) return;
  for (std::size_t row = 0; row < vector->rows(); ++row) {
    for (double& v : vector->Row(row)) {
      if (std::isnan(v)) v = Absent();
    }
  }
  *vector = WithoutEmptyRows(*vector);
}

Labels WithoutName(const Evaluation& evaluation, const Labels& labels) {
  // Few series have them: a look is cheaper than a copy without them.
  const bool typed =
      evaluation.semantics.AtLeast(3, 4) && (labels.Has(kTypeLabel) || labels.Has(kUnitLabel));
  if (!typed) return labels.Without(kMetricName);
  return labels.Without({std::string(kMetricName), kTypeLabel, kUnitLabel});
}

StepVector EvaluateMixed(const Evaluation& evaluation, const Expr& expr) {
  return std::get<StepVector>(EvaluateSteps(evaluation, expr));
}

StepVector EvaluateVector(const Evaluation& evaluation, const Expr& expr) {
  StepVector vector = EvaluateMixed(evaluation, expr);
  if (vector.HasNatives()) RefuseNatives(evaluation, expr);
  return vector;
}

ScalarSteps EvaluateScalar(const Evaluation& evaluation, const Expr& expr) {
  return std::get<ScalarSteps>(EvaluateSteps(evaluation, expr));
}

StepValue EvaluateSteps(const Evaluation& evaluation, const Expr& expr) {
  CheckBudget();
  if (const auto* number = expr.As<NumberLiteral>()) {
    return ScalarSteps(evaluation.steps.count, number->value);
  }
  if (const auto* paren = expr.As<Paren>()) return EvaluateSteps(evaluation, *paren->expr);
  if (const auto* unary = expr.As<Unary>()) return EvaluateUnary(evaluation, *unary);
  if (const auto* call = expr.As<Call>()) return EvaluateCall(evaluation, *call, expr);
  if (const auto* binary = expr.As<Binary>()) return EvaluateBinary(evaluation, *binary, expr);
  if (const auto* aggregation = expr.As<Aggregation>()) {
    StepVector vector = EvaluateAggregation(evaluation, *aggregation);
    DropNaNs(evaluation, &vector);
    return vector;
  }
  if (const auto* selector = expr.As<Selector>(); selector != nullptr && selector->range_ms == 0) {
    StepVector vector = EvaluateSelector(evaluation, *selector, false);
    DropNaNs(evaluation, &vector);
    return vector;
  }
  ThrowAt(evaluation.text, expr.begin,
          fmt::format("a {} has no value at a step", KindName(expr.kind)));
}

Answer Evaluate(const SeriesStore& store, const Query& query, const EvaluateOptions& options) {
  const std::int64_t range = query.end - query.start;
  const ExprPtr tree = Parse(query.promql, {query.instant() ? 0 : query.step_ms, range});
  RefuseForeign(*tree, query.promql, options.semantics);
  Annotations annotations(query.promql, options.semantics);
  Evaluation evaluation{store,           options.semantics, options.lookback_ms,
                        StepsOf(query),  query.start,       query.end,
                        query.instant(), query.promql,      &annotations};
  const bool steppable = tree->kind == ValueKind::kScalar || tree->kind == ValueKind::kVector;
  if (!evaluation.instant && !steppable) {
    throw Error(ErrorKind::kUsage,
                fmt::format("invalid expression type \"{}\" for range query, must be Scalar or "
                            "instant Vector",
                            KindName(tree->kind)));
  }
  Answer answer;
  if (tree->kind == ValueKind::kString && options.semantics.IsVictoriaMetrics()) {
    answer.kind = ValueKind::kVector;  // a text is nothing there
  } else if (tree->kind == ValueKind::kString) {
    answer.kind = ValueKind::kString;
    answer.text = WithoutParens(*tree).As<StringLiteral>()->value;
    answer.series.emplace_back().samples.push_back({query.start, 0});
  } else if (tree->kind == ValueKind::kMatrix) {
    AnswerMatrix(evaluation, *tree, &answer);
  } else {
    AnswerSteps(evaluation, *tree, &answer);
  }
  annotations.MoveTo(&answer);
  return answer;
}

}  // namespace schedlens::promql
