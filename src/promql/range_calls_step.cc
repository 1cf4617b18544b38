#include "promql/range_calls_step.h"

#include <cmath>
#include <span>

#include "model/seconds.h"
#include "stats/classic_quantile.h"
#include "stats/over_time.h"
#include "stats/regression.h"

namespace schedlens::promql {
namespace {

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
  *result = MsToSeconds(window.times[at]);
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

}  // namespace

bool EvaluateRangeStep(const SampleWindow& window, const RangeCall& call, std::size_t step,
                       double* result) {
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

}  // namespace schedlens::promql
