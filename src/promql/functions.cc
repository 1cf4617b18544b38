#include "promql/functions.h"

#include <algorithm>

namespace schedlens::promql {
namespace {

constexpr ValueKind kS = ValueKind::kScalar;
constexpr ValueKind kT = ValueKind::kString;
constexpr ValueKind kV = ValueKind::kVector;
constexpr ValueKind kM = ValueKind::kMatrix;

}  // namespace

std::span<const Function> Functions() {
  using enum FunctionId;
  static const std::vector<Function> table = {
      {kAbs, "abs", {kV}},
      {kAbsent, "absent", {kV}},
      {kAbsentOverTime, "absent_over_time", {kM}},
      {kAvgOverTime, "avg_over_time", {kM}},
      {kCeil, "ceil", {kV}},
      {kChanges, "changes", {kM}},
      {kClamp, "clamp", {kV, kS, kS}, 0, kV, 2, 25},
      {kClampMax, "clamp_max", {kV, kS}},
      {kClampMin, "clamp_min", {kV, kS}},
      {kCountOverTime, "count_over_time", {kM}},
      {kDelta, "delta", {kM}},
      {kFloor, "floor", {kV}},
      {kHistogramAvg, "histogram_avg", {kV}, 0, kV, 2, 52},
      {kHistogramCount, "histogram_count", {kV}, 0, kV, 2, 40},
      {kHistogramFraction, "histogram_fraction", {kS, kS, kV}, 0, kV, 2, 40},
      {kHistogramQuantile, "histogram_quantile", {kS, kV}},
      {kHistogramSum, "histogram_sum", {kV}, 0, kV, 2, 40},
      {kIdelta, "idelta", {kM}},
      {kIncrease, "increase", {kM}},
      {kIrate, "irate", {kM}},
      {kLabelJoin, "label_join", {kV, kT, kT, kT}, -1},
      {kLabelReplace, "label_replace", {kV, kT, kT, kT, kT}},
      {kLastOverTime, "last_over_time", {kM}, 0, kV, 2, 26},
      {kMaxOverTime, "max_over_time", {kM}},
      {kMinOverTime, "min_over_time", {kM}},
      {kPresentOverTime, "present_over_time", {kM}, 0, kV, 2, 29},
      {kQuantileOverTime, "quantile_over_time", {kS, kM}},
      {kRate, "rate", {kM}},
      {kResets, "resets", {kM}},
      {kRound, "round", {kV, kS}, 1},
      {kScalar, "scalar", {kV}, 0, kS},
      {kSgn, "sgn", {kV}, 0, kV, 2, 25},
      {kSort, "sort", {kV}},
      {kSortDesc, "sort_desc", {kV}},
      {kSqrt, "sqrt", {kV}},
      {kStddevOverTime, "stddev_over_time", {kM}},
      {kStdvarOverTime, "stdvar_over_time", {kM}},
      {kSumOverTime, "sum_over_time", {kM}},
      {kTime, "time", {}, 0, kS},
      {kTimestamp, "timestamp", {kV}},
      {kVector, "vector", {kS}},
  };
  return table;
}

const Function* FindFunction(std::string_view name) {
  for (const Function& function : Functions()) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace schedlens::promql
