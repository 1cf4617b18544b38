// Functions of a range vector: rate and its relatives, *_over_time.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "contract/series.h"
#include "model/work_budget.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "promql/native_operations.h"
#include "promql/range_calls_step.h"
#include "stats/range_functions.h"
#include "stats/victoria_functions.h"

namespace schedlens::promql {
namespace {

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
    double result = 0;
    if (EvaluateRangeStep(window, call, i, &result)) row[i] = result;
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

StepVector EvaluateRangeCall(const Evaluation& evaluation, const Call& call, const Expr&) {
  const std::vector<ValueKind>& wanted = call.function->arguments;
  const auto place = std::find(wanted.begin(), wanted.end(), ValueKind::kMatrix) - wanted.begin();
  const ExprPtr& matrix = call.args[static_cast<std::size_t>(place)];
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
        result.Append(keep ? *series.labels : WithoutName(evaluation, *series.labels));
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
      CheckBudget();
      NativeRangeStep(evaluation, call, range, series, i, arg, &result);
    }
    result.DropIfEmpty();
  }
  DropNaNs(evaluation, &result);
  return JoinEqualRows(std::move(result), true);
}

}  // namespace schedlens::promql
