#pragma once

// The functions of the dialect as a table: names, argument types, first version.

#include <span>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace schedlens::promql {

enum class FunctionId {
  kAbs,
  kAbsent,
  kAbsentOverTime,
  kAvgOverTime,
  kCeil,
  kChanges,
  kClamp,
  kClampMax,
  kClampMin,
  kCountOverTime,
  kDayOfMonth,
  kDayOfWeek,
  kDayOfYear,
  kDaysInMonth,
  kDeg,
  kDelta,
  kDeriv,
  kDoubleSmoothing,
  kExp,
  kForeign,  ///< any that is parsed and not evaluated
  kFirstOverTime,
  kFloor,
  kHistogramAvg,
  kHistogramCount,
  kHistogramFraction,
  kHistogramQuantile,
  kHistogramQuantiles,
  kHistogramStddev,
  kHistogramStdvar,
  kHistogramSum,
  kHour,
  kIdelta,
  kIncrease,
  kIrate,
  kLabelJoin,
  kLabelReplace,
  kLastOverTime,
  kLn,
  kLog10,
  kLog2,
  kMadOverTime,
  kMaxOverTime,
  kMinOverTime,
  kMinute,
  kMonth,
  kPi,
  kPredictLinear,
  kPresentOverTime,
  kPrometheusBuckets,
  kPrometheusChanges,
  kPrometheusDelta,
  kPrometheusIncrease,
  kPrometheusRate,
  kQuantileOverTime,
  kRad,
  kRate,
  kResets,
  kRound,
  kScalar,
  kSgn,
  kSort,
  kSortDesc,
  kSqrt,
  kStddevOverTime,
  kStdvarOverTime,
  kSumOverTime,
  kTime,
  kTimestamp,
  kTsOfFirstOverTime,
  kTsOfLastOverTime,
  kTsOfMaxOverTime,
  kTsOfMinOverTime,
  kVector,
  kYear,
};

/// One function: what it takes and gives. With `variadic` > 0 that many last arguments are
/// optional; with -1 the last one repeats.
struct Function {
  FunctionId id;
  std::string_view name;
  std::vector<ValueKind> arguments;
  int variadic = 0;
  ValueKind result = ValueKind::kVector;
  int since_major = 2;  ///< first Prometheus version that knows it; 2.20 is the oldest asked for
  int since_minor = 20;
  int until_major = 99;  ///< first version that no longer knows it
  int until_minor = 0;
  bool only_victoria = false;  ///< a function of VictoriaMetrics alone
};

/// The functions of the dialect, sorted by name.
std::span<const Function> Functions();
/// By its name, also one that servers know and this evaluator does not (kForeign: its arguments are
/// anything, its result is a vector). Null for other names.
const Function* FindFunction(std::string_view name);

}  // namespace schedlens::promql
