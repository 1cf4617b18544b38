#include "promql/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/work_budget.h"
#include "promql/evaluation.h"
#include "promql/foreign.h"
#include "promql/lexer.h"
#include "promql/native_operations.h"
#include "promql/parser.h"
#include "promql/type_check.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

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
    NeedNative(evaluation, {3, 0}, "-", *unary.expr);
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
  Steps steps;
  steps.start = query.start;
  if (query.instant()) return steps;
  if (query.step_ms <= 0) {
    throw Error(ErrorKind::kUsage, "a range query needs a step longer than zero");
  }
  if (query.end < query.start) {
    throw Error(ErrorKind::kUsage, "a range query's end lies before its start");
  }
  const std::int64_t count = (query.end - query.start) / query.step_ms + 1;
  if (count > kMostSteps) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the range query has {} steps, more than {}: take a longer step", count,
                            kMostSteps));
  }
  steps.step_ms = query.step_ms;
  steps.count = static_cast<std::size_t>(count);
  return steps;
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

/// VictoriaMetrics knows no scalars: a number is a series without labels, NaN is nothing.
StepVector AsVector(const Evaluation& evaluation, const ScalarSteps& scalar) {
  StepVector vector(scalar.size());
  std::copy(scalar.begin(), scalar.end(), vector.Append(Labels()).begin());
  DropNaNs(evaluation, &vector);
  return vector;
}

void AnswerSteps(const Evaluation& evaluation, const Expr& expr, Answer* answer) {
  StepValue value = EvaluateSteps(evaluation, expr);
  if (evaluation.semantics.IsVictoriaMetrics() && std::holds_alternative<ScalarSteps>(value)) {
    value = AsVector(evaluation, std::get<ScalarSteps>(value));
  }
  if (const auto* scalar = std::get_if<ScalarSteps>(&value)) {
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
    StepVector vector = EvaluateAggregation(evaluation, *aggregation, expr);
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
