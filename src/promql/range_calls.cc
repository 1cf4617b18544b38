// Functions of a range vector: rate and its relatives, *_over_time.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/series.h"
#include "base/text.h"
#include "base/work_budget.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "stats/classic_quantile.h"
#include "stats/over_time.h"
#include "stats/range_functions.h"
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

using StepResult = std::optional<double>;

StepResult RateStep(const SampleWindow& window, const RangeCall& call) {
  RateKind kind = RateKind::kRate;
  if (call.id == FunctionId::kIncrease) kind = RateKind::kIncrease;
  if (call.id == FunctionId::kDelta) kind = RateKind::kDelta;
  if (call.edges == Edges::kPlain) {
    return ExtrapolatedRate(window, kind, call.arithmetic, call.range_seconds);
  }
  return ExtendedRate(window, kind, call.range_seconds, call.edges == Edges::kSmoothed,
                      call.evaluation.semantics);
}

/// When the first, last, least or greatest value was; of equal ones the last.
StepResult TimeStep(const SampleWindow& window, FunctionId id) {
  using enum FunctionId;
  std::size_t at = 0;
  for (std::size_t i = 1; i < window.size(); ++i) {
    const double v = window.values[i];
    const double best = window.values[at];
    const bool later = id == kTsOfLastOverTime ||
                       (id == kTsOfMaxOverTime && (v >= best || std::isnan(best))) ||
                       (id == kTsOfMinOverTime && (v <= best || std::isnan(best)));
    if (later) at = i;
  }
  return MsToSeconds(window.times[at]);
}

/// Functions that draw a line or a trend through the window.
StepResult TrendStep(const SampleWindow& window, const RangeCall& call, std::size_t step) {
  const Semantics& semantics = call.evaluation.semantics;
  const bool victoria = semantics.IsVictoriaMetrics();
  const bool smooths = call.id == FunctionId::kDoubleSmoothing;
  if (window.size() < (victoria && !smooths ? 1 : 2)) return std::nullopt;
  if (smooths) {
    return DoubleExponentialSmoothing(window.values, call.parameters[0][step],
                                      call.parameters[1][step]);
  }
  const bool predicts = call.id == FunctionId::kPredictLinear;
  const TimeMs at = predicts || victoria ? call.evaluation.steps.At(step) : window.times.front();
  const RegressionLine line = LinearRegression(window.times, window.values, at, semantics);
  if (!predicts) return line.slope;
  return Interpolate(line.intercept, line.slope, call.parameters[0][step], semantics.fma);
}

StepResult OverTimeStep(const SampleWindow& window, const RangeCall& call, std::size_t step) {
  using enum FunctionId;
  const std::span<const double> values = window.values;
  const Semantics& semantics = call.evaluation.semantics;
  switch (call.id) {
    case kAvgOverTime:
      return AvgOverTime(values, semantics);
    case kCountOverTime:
      return static_cast<double>(values.size());
    case kFirstOverTime:
      return values.front();
    case kLastOverTime:
      return values.back();
    case kMadOverTime:
      return MedianDeviation(values, semantics);
    case kMaxOverTime:
      return MaxOverTime(values);
    case kMinOverTime:
      return MinOverTime(values);
    case kPresentOverTime:
      return 1;
    case kQuantileOverTime:
      return QuantileOfValues(call.parameters[0][step], values);
    case kStddevOverTime:
      return std::sqrt(VarianceOverTime(values, semantics));
    case kStdvarOverTime:
      return VarianceOverTime(values, semantics);
    case kSumOverTime:
      return SumOverTime(values, semantics);
    default:
      return std::nullopt;
  }
}

/// What the function makes of one window, which holds a sample; nothing where it gives no result.
StepResult EvaluateRangeStep(const SampleWindow& window, const RangeCall& call, std::size_t step) {
  using enum FunctionId;
  const bool anchored = call.edges == Edges::kAnchored;
  switch (call.id) {
    case kRate:
    case kIncrease:
    case kDelta:
      return RateStep(window, call);
    case kIrate:
    case kIdelta:
      return InstantRate(window, call.id == kIrate);
    case kResets:
      return CountResets(window, anchored, call.evaluation.semantics);
    case kChanges:
      return CountChanges(window, anchored, call.evaluation.semantics);
    case kTsOfFirstOverTime:
    case kTsOfLastOverTime:
    case kTsOfMaxOverTime:
    case kTsOfMinOverTime:
      return TimeStep(window, call.id);
    case kDeriv:
    case kPredictLinear:
    case kDoubleSmoothing:
      return TrendStep(window, call, step);
    default:
      return OverTimeStep(window, call, step);
  }
}

void FillRow(const RangeCall& call, const RangeVector& range, const RangeSeries& series,
             std::span<double> row, bool* sampled_last) {
  WindowCursor cursor(call.evaluation, range, series);
  SampleWindow window;
  for (std::size_t i = 0; i < row.size(); ++i) {
    CheckBudget();
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
    if (const StepResult result = EvaluateRangeStep(window, call, i)) row[i] = *result;
  }
}

/// How VictoriaMetrics does it, where it does so in a way of its own.
std::optional<VictoriaFunction> VictoriaForm(const Evaluation& evaluation, FunctionId id) {
  using enum FunctionId;
  static constexpr std::pair<FunctionId, VictoriaFunction> kForms[] = {
      {kRate, VictoriaFunction::kRate},
      {kIncrease, VictoriaFunction::kIncrease},
      {kDelta, VictoriaFunction::kDelta},
      {kIrate, VictoriaFunction::kIrate},
      {kIdelta, VictoriaFunction::kIdelta},
      {kResets, VictoriaFunction::kResets},
      {kChanges, VictoriaFunction::kChanges},
      {kPrometheusRate, VictoriaFunction::kPrometheusRate},
      {kPrometheusIncrease, VictoriaFunction::kPrometheusIncrease},
      {kPrometheusDelta, VictoriaFunction::kPrometheusDelta},
      {kPrometheusChanges, VictoriaFunction::kPrometheusChanges},
  };
  if (!evaluation.semantics.IsVictoriaMetrics()) return std::nullopt;
  for (const auto& form : kForms) {
    if (form.first == id) return form.second;
  }
  return std::nullopt;
}

bool KeepsName(const Evaluation& evaluation, FunctionId id) {
  using enum FunctionId;
  if (id == kLastOverTime || id == kFirstOverTime) return true;
  return evaluation.semantics.IsVictoriaMetrics() &&
         (id == kMinOverTime || id == kMaxOverTime || id == kAvgOverTime ||
          id == kQuantileOverTime || id == kPredictLinear);
}

/// rate and increase of something not named like a counter.
void RemarkOnName(const Evaluation& evaluation, FunctionId id, const Labels& labels,
                  const Expr& arg) {
  if (id != FunctionId::kRate && id != FunctionId::kIncrease) return;
  const std::string_view name = labels.Get(kMetricName);
  if (name.empty() || IsCounterName(name)) return;
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

StepVector EvaluateRangeCall(const Evaluation& evaluation, const Call& call) {
  const FunctionId id = call.function->id;
  const std::vector<ValueKind>& wanted = call.function->arguments;
  const auto place = std::find(wanted.begin(), wanted.end(), ValueKind::kMatrix) - wanted.begin();
  const ExprPtr& matrix = call.args[static_cast<std::size_t>(place)];
  const Expr& arg = *matrix;
  const RangeVector range = EvaluateRange(evaluation, arg);
  const double seconds = DurationSeconds(range.range_ms);
  RangeCall row_call{evaluation, id, range.edges, seconds, RateArithmeticOf(evaluation.semantics),
                     {}};
  for (const ExprPtr& each : call.args) {
    if (each != matrix) row_call.parameters.push_back(EvaluateScalar(evaluation, *each));
  }
  if (id == FunctionId::kDoubleSmoothing) CheckFactors(evaluation, call, row_call);
  // Said by the call for a series, so not without one.
  if (id == FunctionId::kQuantileOverTime && !range.series.empty()) {
    evaluation.annotations->CheckQuantiles(row_call.parameters[0], *call.args[0]);
  }
  const auto victoria = VictoriaForm(evaluation, id);
  StepVector result(evaluation.steps.count);
  result.Reserve(range.series.size());
  for (const RangeSeries& series : range.series) {
    const bool keep = KeepsName(evaluation, id);
    const std::span<double> row =
        result.Append(keep ? *series.labels : WithoutName(evaluation, *series.labels));
    bool sampled_last = false;  // the window of the last step has samples
    if (victoria) {
      const std::int64_t step_ms = evaluation.instant ? 0 : evaluation.steps.step_ms;
      VictoriaRollupOverSteps({*victoria, range.range_ms, step_ms}, series.times, series.values,
                              range.ends, row);
    } else {
      FillRow(row_call, range, series, row, &sampled_last);
    }
    // From 3.0 on only a series with a result is remarked on.
    const bool some = std::any_of(row.begin(), row.end(), [](double v) { return !IsAbsent(v); });
    if (evaluation.semantics.AtLeast(3, 0) ? some : sampled_last) {
      RemarkOnName(evaluation, id, *series.labels, arg);
    }
    for (std::size_t i = 0; !series.natives.empty() && i < row.size(); ++i) {
      CheckBudget();
      NativeRangeStep(evaluation, call, range, series, i, arg, &result);
    }
    result.DropIfEmpty();
  }
  DropNaNs(evaluation, &result);
  return JoinEqualRows(std::move(result), true);
}

}  // namespace schedlens::promql
