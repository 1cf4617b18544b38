// Functions of a range vector: rate and its relatives, *_over_time.

#include <cmath>

#include "promql/evaluation.h"
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
  ScalarSteps parameter;  // of quantile_over_time
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
      return AnchoredRate(window, kind, call.range_seconds, result);
    case Edges::kSmoothed:
      return SmoothedRate(window, kind, call.range_seconds, result);
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
    case kLastOverTime:
      *result = values.back();
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
      *result = QuantileOfValues(call.parameter[step], values);
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
      return CountResets(window, anchored, result);
    case kChanges:
      return CountChanges(window, anchored, result);
    default:
      return OverTimeStep(window, call, step, result);
  }
}

void FillRow(const RangeCall& call, const RangeVector& range, const RangeSeries& series,
             std::span<double> row, bool* sampled) {
  WindowCursor cursor(call.evaluation, range, series);
  SampleWindow window;
  for (std::size_t i = 0; i < row.size(); ++i) {
    cursor.Move(i);
    const std::size_t size = cursor.end() - cursor.first();
    if (size == 0) continue;
    *sampled = true;
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

void FillVictoriaRow(const RangeCall& call, const RangeVector& range, const RangeSeries& series,
                     std::span<double> row) {
  VictoriaRollup rollup;
  rollup.window_ms = range.range_ms;
  rollup.step_ms = call.evaluation.instant ? 0 : call.evaluation.steps.step_ms;
  using enum FunctionId;
  switch (call.id) {
    case kRate:
      rollup.function = VictoriaFunction::kRate;
      break;
    case kIncrease:
      rollup.function = VictoriaFunction::kIncrease;
      break;
    case kDelta:
      rollup.function = VictoriaFunction::kDelta;
      break;
    case kIrate:
      rollup.function = VictoriaFunction::kIrate;
      break;
    case kIdelta:
      rollup.function = VictoriaFunction::kIdelta;
      break;
    case kResets:
      rollup.function = VictoriaFunction::kResets;
      break;
    default:
      rollup.function = VictoriaFunction::kChanges;
      break;
  }
  VictoriaRollupOverSteps(rollup, series.times, series.values, range.ends, row);
}

bool HasVictoriaForm(FunctionId id) {
  using enum FunctionId;
  return id == kRate || id == kIncrease || id == kDelta || id == kIrate || id == kIdelta ||
         id == kResets || id == kChanges;
}

bool KeepsName(const Evaluation& evaluation, FunctionId id) {
  using enum FunctionId;
  if (id == kLastOverTime) return true;
  return evaluation.semantics.IsVictoriaMetrics() &&
         (id == kMinOverTime || id == kMaxOverTime || id == kAvgOverTime ||
          id == kQuantileOverTime);
}

/// rate and increase of something not named like a counter, per series that had samples.
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

}  // namespace

StepVector EvaluateRangeCall(const Evaluation& evaluation, const Call& call, const Expr&) {
  const Expr& arg = *call.args.back();
  const RangeVector range = EvaluateRange(evaluation, arg);
  RangeCall row_call{evaluation,
                     call.function->id,
                     range.edges,
                     DurationSeconds(range.range_ms),
                     RateArithmeticOf(evaluation.semantics),
                     {}};
  if (call.function->id == FunctionId::kQuantileOverTime) {
    row_call.parameter = EvaluateScalar(evaluation, *call.args[0]);
    for (const double q : row_call.parameter) {
      if (!(q >= 0 && q <= 1)) evaluation.annotations->InvalidQuantile(q, *call.args[0]);
    }
  }
  const bool victoria =
      evaluation.semantics.IsVictoriaMetrics() && HasVictoriaForm(call.function->id);
  StepVector result(evaluation.steps.count);
  result.Reserve(range.series.size());
  for (const RangeSeries& series : range.series) {
    const bool keep = KeepsName(evaluation, call.function->id);
    const std::span<double> row =
        result.Append(keep ? *series.labels : series.labels->Without(kMetricName));
    bool sampled = false;
    if (victoria) {
      FillVictoriaRow(row_call, range, series, row);
    } else {
      FillRow(row_call, range, series, row, &sampled);
    }
    if (sampled) RemarkOnName(evaluation, call.function->id, *series.labels, arg);
    result.DropIfEmpty();
  }
  DropNaNs(evaluation, &result);
  return JoinEqualRows(std::move(result), true);
}

}  // namespace schedlens::promql
