// Functions of a range vector: rate and its relatives, *_over_time.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "promql/native_operations.h"
#include "stats/classic_quantile.h"
#include "stats/over_time.h"
#include "stats/range_functions.h"
#include "stats/regression.h"
#include "stats/victoria_functions.h"

namespace schedlens::promql {
namespace {

/// What is the same for all series and steps of one call.
struct RangeCall {
  const Evaluation& evaluation;
  FunctionId id;
  Edges edges;
  double range_seconds = 0;
  RateArithmetic arithmetic = RateArithmetic::kFrom251;
  std::vector<ScalarSteps> parameters;  // the scalar arguments
};

RateKind KindOf(FunctionId id) {
  if (id == FunctionId::kRate) return RateKind::kRate;
  return id == FunctionId::kIncrease ? RateKind::kIncrease : RateKind::kDelta;
}

bool RateStep(const SampleWindow& window, const RangeCall& call, double* result) {
  const RateKind kind = KindOf(call.id);
  switch (call.edges) {
    case Edges::kPlain:
      return ExtrapolatedRate(window, kind, call.arithmetic, call.range_seconds, result);
    case Edges::kAnchored:
      return AnchoredRate(window, kind, call.range_seconds, call.evaluation.semantics, result);
    case Edges::kSmoothed:
      return SmoothedRate(window, kind, call.range_seconds, call.evaluation.semantics, result);
  }
  return false;
}

bool OverTimeStep(const SampleWindow& window, const RangeCall& call, std::size_t step,
                  double* result) {
  using enum FunctionId;
  if (window.size() == 0) return false;
  const std::span<const double> values = window.values;
  const Semantics& semantics = call.evaluation.semantics;
  switch (call.id) {
    case kAvgOverTime:
      *result = AvgOverTime(values, semantics);
      return true;
    case kCountOverTime:
      *result = static_cast<double>(values.size());
      return true;
    case kFirstOverTime:
      *result = values.front();
      return true;
    case kLastOverTime:
      *result = values.back();
      return true;
    case kMadOverTime:
      *result = MedianDeviation(values, semantics);
      return true;
    case kMaxOverTime:
      *result = MaxOverTime(values);
      return true;
    case kMinOverTime:
      *result = MinOverTime(values);
      return true;
    case kPresentOverTime:
      *result = 1;
      return true;
    case kQuantileOverTime:
      *result = QuantileOfValues(call.parameters[0][step], values);
      return true;
    case kStddevOverTime:
      *result = std::sqrt(VarianceOverTime(values, semantics));
      return true;
    case kStdvarOverTime:
      *result = VarianceOverTime(values, semantics);
      return true;
    case kSumOverTime:
      *result = SumOverTime(values, semantics);
      return true;
    default:
      return false;
  }
}

/// When the first, last, least or greatest value was; of equal ones the last.
bool TimeStep(const SampleWindow& window, const RangeCall& call, double* result) {
  using enum FunctionId;
  if (window.size() == 0) return false;
  std::size_t at = 0;
  for (std::size_t i = 1; i < window.size(); ++i) {
    const double v = window.values[i];
    const double best = window.values[at];
    const bool later = call.id == kTsOfLastOverTime ||
                       (call.id == kTsOfMaxOverTime && (v >= best || std::isnan(best))) ||
                       (call.id == kTsOfMinOverTime && (v <= best || std::isnan(best)));
    if (later) at = i;
  }
  *result = static_cast<double>(window.times[at]) / 1000;
  return true;
}

/// Functions that draw a line or a trend through the window.
bool TrendStep(const SampleWindow& window, const RangeCall& call, std::size_t step,
               double* result) {
  const Semantics& semantics = call.evaluation.semantics;
  const std::size_t least = semantics.IsVictoriaMetrics() ? 1 : 2;
  if (window.size() < least) return false;
  if (call.id == FunctionId::kDeriv) {
    const TimeMs at =
        semantics.IsVictoriaMetrics() ? call.evaluation.steps.At(step) : window.times.front();
    *result = LinearRegression(window.times, window.values, at, semantics).slope;
    return true;
  }
  if (call.id == FunctionId::kPredictLinear) {
    const RegressionLine line =
        LinearRegression(window.times, window.values, call.evaluation.steps.At(step), semantics);
    const double seconds = call.parameters[0][step];
    *result = Interpolate(line.intercept, line.slope, seconds, semantics.fma);
    return true;
  }
  if (window.size() < 2) return false;
  *result =
      DoubleExponentialSmoothing(window.values, call.parameters[0][step], call.parameters[1][step]);
  return true;
}

bool Step(const SampleWindow& window, const RangeCall& call, std::size_t step, double* result) {
  using enum FunctionId;
  const bool anchored = call.edges == Edges::kAnchored;
  switch (call.id) {
    case kRate:
    case kIncrease:
    case kDelta:
      return RateStep(window, call, result);
    case kIrate:
      return InstantRate(window, true, result);
    case kIdelta:
      return InstantRate(window, false, result);
    case kResets:
      return CountResets(window, anchored, call.evaluation.semantics, result);
    case kChanges:
      return CountChanges(window, anchored, call.evaluation.semantics, result);
    case kTsOfFirstOverTime:
    case kTsOfLastOverTime:
    case kTsOfMaxOverTime:
    case kTsOfMinOverTime:
      return TimeStep(window, call, result);
    case kDeriv:
    case kPredictLinear:
    case kDoubleSmoothing:
      return TrendStep(window, call, step, result);
    default:
      return OverTimeStep(window, call, step, result);
  }
}

void FillRow(const RangeCall& call, const RangeVector& range, const RangeSeries& series,
             std::span<double> row, bool* sampled_last) {
  WindowCursor cursor(call.evaluation, range, series);
  SampleWindow window;
  for (std::size_t i = 0; i < row.size(); ++i) {
    cursor.Move(i);
    const std::size_t size = cursor.end() - cursor.first();
    *sampled_last = size > 0;
    if (size == 0) continue;
    window.times = series.times.subspan(cursor.first(), size);
    window.values = series.values.subspan(cursor.first(), size);
    window.offset = cursor.first();
    if (!series.drops.empty()) window.drops = cursor.Drops();
    window.start = cursor.start();
    window.end = cursor.stop();
    double result = 0;
    if (Step(window, call, i, &result)) row[i] = result;
  }
}

std::optional<VictoriaFunction> VictoriaForm(FunctionId id) {
  static constexpr std::pair<FunctionId, VictoriaFunction> kForms[] = {
      {FunctionId::kRate, VictoriaFunction::kRate},
      {FunctionId::kIncrease, VictoriaFunction::kIncrease},
      {FunctionId::kDelta, VictoriaFunction::kDelta},
      {FunctionId::kIrate, VictoriaFunction::kIrate},
      {FunctionId::kIdelta, VictoriaFunction::kIdelta},
      {FunctionId::kResets, VictoriaFunction::kResets},
      {FunctionId::kChanges, VictoriaFunction::kChanges},
      {FunctionId::kPrometheusRate, VictoriaFunction::kPrometheusRate},
      {FunctionId::kPrometheusIncrease, VictoriaFunction::kPrometheusIncrease},
      {FunctionId::kPrometheusDelta, VictoriaFunction::kPrometheusDelta},
      {FunctionId::kPrometheusChanges, VictoriaFunction::kPrometheusChanges},
  };
  for (const auto& form : kForms) {
    if (form.first == id) return form.second;
  }
  return std::nullopt;
}

void FillVictoriaRow(const RangeCall& call, const RangeVector& range, const RangeSeries& series,
                     std::span<double> row) {
  VictoriaRollup rollup;
  rollup.window_ms = range.range_ms;
  rollup.step_ms = call.evaluation.instant ? 0 : call.evaluation.steps.step_ms;
  rollup.function = *VictoriaForm(call.id);
  VictoriaRollupOverSteps(rollup, series.times, series.values, range.ends, row);
}

bool KeepsName(const Evaluation& evaluation, FunctionId id) {
  using enum FunctionId;
  if (id == kLastOverTime || id == kFirstOverTime) return true;
  return evaluation.semantics.IsVictoriaMetrics() &&
         (id == kMinOverTime || id == kMaxOverTime || id == kAvgOverTime ||
          id == kQuantileOverTime);
}

/// rate and increase of something not named like a counter.
void RemarkOnName(const Evaluation& evaluation, FunctionId id, const Labels& labels,
                  const Expr& arg) {
  if (id != FunctionId::kRate && id != FunctionId::kIncrease) return;
  const std::string_view name = labels.Get(kMetricName);
  if (name.empty()) return;
  for (const std::string_view suffix : {"_total", "_sum", "_count", "_bucket"}) {
    if (name.ends_with(suffix)) return;
  }
  evaluation.annotations->PossibleNonCounter(name, arg);
}

void CheckFactors(const Evaluation& evaluation, const Call& call, const RangeCall& range_call) {
  constexpr const char* kNames[] = {"smoothing", "trend"};
  for (std::size_t i = 0; i < 2; ++i) {
    for (const double factor : range_call.parameters[i]) {
      if (!(factor <= 0 || factor >= 1)) continue;
      ThrowAt(evaluation.text, call.args[i + 1]->begin,
              fmt::format("invalid {} factor. Expected: 0 < {} < 1, got: {:f}", kNames[i],
                          i == 0 ? "sf" : "tf", factor));
    }
  }
}

}  // namespace

StepVector EvaluateRangeCall(const Evaluation& evaluation, const Call& call, const Expr&) {
  const ExprPtr& matrix =
      *std::find_if(call.args.begin(), call.args.end(),
                    [](const ExprPtr& each) { return each->kind == ValueKind::kMatrix; });
  const Expr& arg = *matrix;
  const RangeVector range = EvaluateRange(evaluation, arg);
  RangeCall row_call{evaluation,
                     call.function->id,
                     range.edges,
                     DurationSeconds(range.range_ms),
                     RateArithmeticOf(evaluation.semantics),
                     {}};
  for (const ExprPtr& each : call.args) {
    if (each != matrix) row_call.parameters.push_back(EvaluateScalar(evaluation, *each));
  }
  if (call.function->id == FunctionId::kDoubleSmoothing) CheckFactors(evaluation, call, row_call);
  if (call.function->id == FunctionId::kQuantileOverTime) {
    for (const double q : row_call.parameters[0]) {
      // Said by the call for a series, so not without one.
      if (!(q >= 0 && q <= 1) && !range.series.empty()) {
        evaluation.annotations->InvalidQuantile(q, *call.args[0]);
      }
    }
  }
  const bool victoria =
      evaluation.semantics.IsVictoriaMetrics() && VictoriaForm(call.function->id).has_value();
  StepVector result(evaluation.steps.count);
  result.Reserve(range.series.size());
  for (const RangeSeries& series : range.series) {
    const bool keep = KeepsName(evaluation, call.function->id);
    const std::span<double> row =
        result.Append(keep ? *series.labels : series.labels->Without(kMetricName));
    bool sampled_last = false;  // the window of the last step has samples
    if (victoria) {
      FillVictoriaRow(row_call, range, series, row);
    } else {
      FillRow(row_call, range, series, row, &sampled_last);
    }
    // From 3.0 on only a series with a result is remarked on.
    const bool some = std::any_of(row.begin(), row.end(), [](double v) { return !IsAbsent(v); });
    if (evaluation.semantics.AtLeast(3, 0) ? some : sampled_last) {
      RemarkOnName(evaluation, call.function->id, *series.labels, arg);
    }
    for (std::size_t i = 0; !series.natives.empty() && i < row.size(); ++i) {
      NativeRangeStep(evaluation, call, range, series, i, arg, &result);
    }
    result.DropIfEmpty();
  }
  DropNaNs(evaluation, &result);
  return JoinEqualRows(std::move(result), true);
}

}  // namespace schedlens::promql
