// Functions of scalars and instant vectors. Range, histogram and label functions have files of
// their own.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/seconds.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "stats/go_math.h"

namespace schedlens::promql {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kCircle = 3.14159265358979323846264338327950288;

/// Go's math.Max and math.Min: NaN if either is NaN, but infinities win; -0 is below 0.
double GoMax(double a, double b) {
  if (a == kInf || b == kInf) return kInf;
  if (std::isnan(a) || std::isnan(b)) return kNaN;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double GoMin(double a, double b) {
  if (a == -kInf || b == -kInf) return -kInf;
  if (std::isnan(a) || std::isnan(b)) return kNaN;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// Applies `change(value, step)` to every value and drops the metric name.
template <typename Change>
StepVector Map(const Evaluation& evaluation, StepVector vector, const Change& change) {
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::span<double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!IsAbsent(values[i])) values[i] = change(values[i], i);
    }
    vector.set_labels(row, WithoutName(evaluation, vector.labels(row)));
  }
  return JoinEqualRows(std::move(vector), false);
}

double Sign(double v) {
  if (v < 0) return -1;
  return v > 0 ? 1 : v;
}

StepVector Round(const Evaluation& evaluation, const Call& call) {
  ScalarSteps nearest(evaluation.steps.count, 1.0);
  if (call.args.size() > 1) nearest = EvaluateScalar(evaluation, *call.args[1]);
  return Map(evaluation, EvaluateVector(evaluation, *call.args[0]), [&](double v, std::size_t i) {
    // Multiplied by the inverse, as the server does: it rounds less.
    const double inverse = 1.0 / nearest[i];
    return std::floor(v * inverse + 0.5) / inverse;
  });
}

StepVector Clamp(const Evaluation& evaluation, const Call& call) {
  const FunctionId id = call.function->id;
  const std::size_t count = evaluation.steps.count;
  ScalarSteps low(count, -kInf);
  ScalarSteps high(count, kInf);
  if (id != FunctionId::kClampMax) low = EvaluateScalar(evaluation, *call.args[1]);
  if (id != FunctionId::kClampMin) high = EvaluateScalar(evaluation, *call.args.back());
  StepVector vector =
      Map(evaluation, EvaluateVector(evaluation, *call.args[0]), [&](double v, std::size_t i) {
        // Where the limits cross there is no result at all.
        return high[i] < low[i] ? Absent() : GoMax(low[i], GoMin(high[i], v));
      });
  return WithoutEmptyRows(vector);
}

StepVector Timestamp(const Evaluation& evaluation, const Call& call) {
  const Expr& arg = WithoutParens(*call.args[0]);
  // Up to 2.22 a selector in parentheses did not count as one.
  const bool seen = &arg == call.args[0].get() || evaluation.semantics.IsVictoriaMetrics() ||
                    evaluation.semantics.AtLeast(2, 23);
  if (const auto* selector = arg.As<Selector>(); selector != nullptr && seen) {
    return Map(evaluation, EvaluateSelector(evaluation, *selector, true),
               [](double v, std::size_t) { return v; });
  }
  return Map(evaluation, EvaluateVector(evaluation, arg),
             [&](double, std::size_t i) { return MsToSeconds(evaluation.steps.At(i)); });
}

StepVector Sorted(const Evaluation& evaluation, const Call& call) {
  StepVector vector = EvaluateVector(evaluation, *call.args[0]);
  if (vector.steps() != 1) return vector;  // matrices are ordered by label anyway
  StepVector sorted(1);
  for (const std::size_t row : OrderByValue(vector, call.function->id == FunctionId::kSortDesc)) {
    sorted.Append(vector.labels(row))[0] = vector.Row(row)[0];
  }
  return sorted;
}

ScalarSteps ScalarOf(const StepVector& vector) {
  ScalarSteps result(vector.steps(), kNaN);
  for (std::size_t i = 0; i < vector.steps(); ++i) {
    std::size_t found = 0;
    for (std::size_t row = 0; row < vector.rows(); ++row) {
      const double v = vector.Row(row)[i];
      if (IsAbsent(v)) continue;
      result[i] = ++found == 1 ? v : kNaN;
    }
  }
  return result;
}

StepVector VectorOf(const ScalarSteps& scalar) {
  StepVector vector(scalar.size());
  std::copy(scalar.begin(), scalar.end(), vector.Append(Labels()).begin());
  return vector;
}

/// Prometheus's functions that VictoriaMetrics refuses.
bool LacksVictoria(FunctionId id) {
  using enum FunctionId;
  return id == kHistogramCount || id == kHistogramSum || id == kDoubleSmoothing ||
         id == kTsOfFirstOverTime || id == kTsOfLastOverTime || id == kTsOfMaxOverTime ||
         id == kTsOfMinOverTime;
}

void CheckVersion(const Evaluation& evaluation, const Function& function, const Expr& expr) {
  const Semantics& semantics = evaluation.semantics;
  if (semantics.IsVictoriaMetrics()) {
    if (!LacksVictoria(function.id)) return;
    ThrowAt(evaluation.text, expr.begin,
            "VictoriaMetrics does not know " + std::string(function.name));
  }
  if (function.only_victoria) {
    ThrowAt(evaluation.text, expr.begin,
            std::string(function.name) +
                " is a function of VictoriaMetrics (--semantics "
                "victoriametrics); Prometheus does not know it");
  }
  if (semantics.AtLeast(function.until_major, function.until_minor)) {
    ThrowAt(evaluation.text, expr.begin,
            std::string(function.name) + " was removed in " + std::to_string(function.until_major) +
                "." + std::to_string(function.until_minor) + "; " + schedlens::ToString(semantics) +
                " does not know it");
  }
  if (semantics.AtLeast(function.since_major, function.since_minor)) return;
  ThrowAt(evaluation.text, expr.begin,
          std::string(function.name) + " needs --semantics " +
              std::to_string(function.since_major) + "." + std::to_string(function.since_minor) +
              " or newer; " + schedlens::ToString(evaluation.semantics) + " does not know it");
}

}  // namespace

std::vector<std::size_t> OrderByValue(const StepVector& vector, bool descending) {
  std::vector<std::size_t> order(vector.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double x = vector.Row(a)[0];
    const double y = vector.Row(b)[0];
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return descending ? x > y : x < y;
  });
  return order;
}

StepValue EvaluateCall(const Evaluation& evaluation, const Call& call, const Expr& expr) {
  using enum FunctionId;
  CheckVersion(evaluation, *call.function, expr);
  const auto vector = [&] { return EvaluateVector(evaluation, *call.args[0]); };
  switch (call.function->id) {
    case kAbs:
      return Map(evaluation, vector(), [](double v, std::size_t) { return std::fabs(v); });
    case kCeil:
      return Map(evaluation, vector(), [](double v, std::size_t) { return std::ceil(v); });
    case kFloor:
      return Map(evaluation, vector(), [](double v, std::size_t) { return std::floor(v); });
    case kSqrt:
      return Map(evaluation, vector(), [](double v, std::size_t) { return std::sqrt(v); });
    case kExp:
      return Map(evaluation, vector(), [](double v, std::size_t) { return go::Exp(v); });
    case kLn:
      return Map(evaluation, vector(), [](double v, std::size_t) { return go::Log(v); });
    case kLog2:
      return Map(evaluation, vector(), [](double v, std::size_t) { return go::Log2(v); });
    case kLog10:
      return Map(evaluation, vector(), [](double v, std::size_t) { return go::Log10(v); });
    case kDeg:
      return Map(evaluation, vector(), [](double v, std::size_t) { return v * 180 / kCircle; });
    case kRad:
      return Map(evaluation, vector(), [](double v, std::size_t) { return v * kCircle / 180; });
    case kPi:
      return ScalarSteps(evaluation.steps.count, kCircle);
    case kSgn:
      return Map(evaluation, vector(), [](double v, std::size_t) { return Sign(v); });
    case kRound:
      return Round(evaluation, call);
    case kClamp:
    case kClampMax:
    case kClampMin:
      return Clamp(evaluation, call);
    case kTimestamp:
      return Timestamp(evaluation, call);
    case kSort:
    case kSortDesc:
      return Sorted(evaluation, call);
    case kScalar:
      return ScalarOf(vector());
    case kVector:
      return VectorOf(EvaluateScalar(evaluation, *call.args[0]));
    case kTime: {
      ScalarSteps times(evaluation.steps.count);
      for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = MsToSeconds(evaluation.steps.At(i));
      }
      return times;
    }
    case kDayOfMonth:
    case kDayOfWeek:
    case kDayOfYear:
    case kDaysInMonth:
    case kHour:
    case kMinute:
    case kMonth:
    case kYear:
      return EvaluateDateCall(evaluation, call);
    case kAbsent:
    case kAbsentOverTime:
      return EvaluateAbsent(evaluation, call);
    case kLabelJoin:
    case kLabelReplace:
      return EvaluateLabelCall(evaluation, call);
    case kHistogramAvg:
    case kHistogramCount:
    case kHistogramFraction:
    case kHistogramQuantile:
    case kHistogramQuantiles:
    case kHistogramStddev:
    case kHistogramStdvar:
    case kHistogramSum:
    case kPrometheusBuckets:
      return EvaluateHistogramCall(evaluation, call);
    default:
      return EvaluateRangeCall(evaluation, call, expr);
  }
}

}  // namespace schedlens::promql
