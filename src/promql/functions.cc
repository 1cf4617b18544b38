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
      {kPrometheusChanges, "changes_prometheus", {kM}, 0, kV, 2, 20, 99, 0, true},
      {kClamp, "clamp", {kV, kS, kS}, 0, kV, 2, 26},
      {kClampMax, "clamp_max", {kV, kS}},
      {kClampMin, "clamp_min", {kV, kS}},
      {kCountOverTime, "count_over_time", {kM}},
      {kDayOfMonth, "day_of_month", {kV}, 1},
      {kDayOfWeek, "day_of_week", {kV}, 1},
      {kDayOfYear, "day_of_year", {kV}, 1, kV, 2, 39},
      {kDaysInMonth, "days_in_month", {kV}, 1},
      {kDeg, "deg", {kV}, 0, kV, 2, 31},
      {kDelta, "delta", {kM}},
      {kPrometheusDelta, "delta_prometheus", {kM}, 0, kV, 2, 20, 99, 0, true},
      {kDeriv, "deriv", {kM}},
      {kDoubleSmoothing, "double_exponential_smoothing", {kM, kS, kS}, 0, kV, 3, 0},
      {kExp, "exp", {kV}},
      {kFirstOverTime, "first_over_time", {kM}, 0, kV, 3, 7},
      {kFloor, "floor", {kV}},
      {kHistogramAvg, "histogram_avg", {kV}, 0, kV, 2, 51},
      {kHistogramCount, "histogram_count", {kV}, 0, kV, 2, 40},
      {kHistogramFraction, "histogram_fraction", {kS, kS, kV}, 0, kV, 2, 40},
      {kHistogramQuantile, "histogram_quantile", {kS, kV, kT}, 1},  // the third: VictoriaMetrics
      {kHistogramQuantiles, "histogram_quantiles", {kV, kT, kS, kS}, -1, kV, 3, 11},
      {kHistogramStddev, "histogram_stddev", {kV}, 0, kV, 2, 47},
      {kHistogramStdvar, "histogram_stdvar", {kV}, 0, kV, 2, 47},
      {kHistogramSum, "histogram_sum", {kV}, 0, kV, 2, 40},
      {kDoubleSmoothing, "holt_winters", {kM, kS, kS}, 0, kV, 2, 20, 3, 0},
      {kHour, "hour", {kV}, 1},
      {kIdelta, "idelta", {kM}},
      {kIncrease, "increase", {kM}},
      {kPrometheusIncrease, "increase_prometheus", {kM}, 0, kV, 2, 20, 99, 0, true},
      {kIrate, "irate", {kM}},
      {kLabelJoin, "label_join", {kV, kT, kT, kT}, -1},
      {kLabelReplace, "label_replace", {kV, kT, kT, kT, kT}},
      {kLastOverTime, "last_over_time", {kM}, 0, kV, 2, 26},
      {kLn, "ln", {kV}},
      {kLog10, "log10", {kV}},
      {kLog2, "log2", {kV}},
      {kMadOverTime, "mad_over_time", {kM}, 0, kV, 2, 49},
      {kMaxOverTime, "max_over_time", {kM}},
      {kMinOverTime, "min_over_time", {kM}},
      {kMinute, "minute", {kV}, 1},
      {kMonth, "month", {kV}, 1},
      {kPi, "pi", {}, 0, kS, 2, 31},
      {kPredictLinear, "predict_linear", {kM, kS}},
      {kPresentOverTime, "present_over_time", {kM}, 0, kV, 2, 29},
      {kPrometheusBuckets, "prometheus_buckets", {kV}, 0, kV, 2, 20, 99, 0, true},
      {kQuantileOverTime, "quantile_over_time", {kS, kM}},
      {kRad, "rad", {kV}, 0, kV, 2, 31},
      {kRate, "rate", {kM}},
      {kPrometheusRate, "rate_prometheus", {kM}, 0, kV, 2, 20, 99, 0, true},
      {kResets, "resets", {kM}},
      {kRound, "round", {kV, kS}, 1},
      {kScalar, "scalar", {kV}, 0, kS},
      {kSgn, "sgn", {kV}, 0, kV, 2, 26},
      {kSort, "sort", {kV}},
      {kSortDesc, "sort_desc", {kV}},
      {kSqrt, "sqrt", {kV}},
      {kStddevOverTime, "stddev_over_time", {kM}},
      {kStdvarOverTime, "stdvar_over_time", {kM}},
      {kSumOverTime, "sum_over_time", {kM}},
      {kTime, "time", {}, 0, kS},
      {kTimestamp, "timestamp", {kV}},
      {kTsOfFirstOverTime, "ts_of_first_over_time", {kM}, 0, kV, 3, 7},
      {kTsOfLastOverTime, "ts_of_last_over_time", {kM}, 0, kV, 3, 5},
      {kTsOfMaxOverTime, "ts_of_max_over_time", {kM}, 0, kV, 3, 5},
      {kTsOfMinOverTime, "ts_of_min_over_time", {kM}, 0, kV, 3, 5},
      {kVector, "vector", {kS}},
      {kYear, "year", {kV}, 1},
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
