#include "promql/functions.h"

#include <algorithm>

namespace schedlens::promql {
namespace {

constexpr ValueKind kS = ValueKind::kScalar;
constexpr ValueKind kT = ValueKind::kString;
constexpr ValueKind kV = ValueKind::kVector;
constexpr ValueKind kM = ValueKind::kMatrix;

/// The functions of Prometheus 3.14 and of VictoriaMetrics that are not in the table.
constexpr std::string_view kForeignNames =
    "acos acosh alias asin asinh atan atanh bitmap_and buckets_limit cos cosh "
    "count_eq_over_time count_gt_over_time count_le_over_time count_values_over_time "
    "distinct_over_time drop_common_labels drop_empty_series duration_over_time "
    "geomean_over_time histogram_over_time histogram_share hoeffding_bound_upper "
    "increase_pure info integrate interpolate iqr_over_time keep_last_value keep_next_value "
    "label_copy label_del label_graphite_group label_keep label_lowercase label_map "
    "label_match label_mismatch label_move label_set label_transform label_uppercase "
    "label_value labels_equal lag lifetime limit_offset median_over_time mode_over_time now "
    "outlier_iqr_over_time quantiles quantiles_over_time range_avg range_first range_last "
    "range_max range_median range_min range_normalize range_quantile range_stddev range_sum "
    "range_trim_outliers rate_over_sum remove_resets rollup rollup_candlestick rollup_delta "
    "rollup_increase rollup_rate running_avg running_max running_min running_sum "
    "scrape_interval share_gt_over_time share_le_over_time sin sinh smooth_exponential "
    "sort_by_label sort_by_label_desc sort_by_label_numeric sort_by_label_numeric_desc "
    "stale_samples_over_time start start_timestamp step sum2_over_time sum_eq_over_time tan "
    "tanh tfirst_over_time timezone_offset tlast_change_over_time tlast_over_time "
    "tmax_over_time tmin_over_time ttf union zscore_over_time";

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
  static const std::vector<Function> foreign = [] {
    std::vector<Function> functions;
    std::string_view rest = kForeignNames;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      functions.push_back({.id = FunctionId::kForeign, .name = word, .arguments = {}});
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    }
    return functions;
  }();
  for (const std::span<const Function> table : {Functions(), std::span<const Function>(foreign)}) {
    for (const Function& function : table) {
      if (function.name == name) return &function;
    }
  }
  return nullptr;
}

}  // namespace schedlens::promql
