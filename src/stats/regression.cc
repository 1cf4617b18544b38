// The order of the floating point operations is the specification: do not simplify it.

#include "stats/regression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/seconds.h"
#include "stats/summation.h"

namespace schedlens {
namespace {

bool IsConstant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
}

double SecondsFrom(TimeMs at, TimeMs t) { return MsToSeconds(t - at); }

RegressionLine VictoriaLine(std::span<const TimeMs> times, std::span<const double> values,
                            TimeMs at) {
  constexpr double kLeastSpread = 1e-6;
  if (IsConstant(values)) return {0, values[0]};
  double sum_v = 0;
  double sum_t = 0;
  double sum_tv = 0;
  double sum_tt = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double t = SecondsFrom(at, times[i]);
    sum_v += values[i];
    sum_t += t;
    sum_tv += t * values[i];
    sum_tt += t * t;
  }
  const auto n = static_cast<double>(values.size());
  const double spread = sum_tt - sum_t * sum_t / n;
  RegressionLine line;
  if (std::fabs(spread) >= kLeastSpread) line.slope = (sum_tv - sum_t * sum_v / n) / spread;
  line.intercept = sum_v / n - line.slope * sum_t / n;
  return line;
}

}  // namespace

RegressionLine LinearRegression(std::span<const TimeMs> times, std::span<const double> values,
                                TimeMs at, const Semantics& semantics) {
  if (semantics.IsVictoriaMetrics()) return VictoriaLine(times, values, at);
  const bool compensates = semantics.AtLeast(2, 32);
  if (compensates && IsConstant(values)) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return std::isinf(values[0]) ? RegressionLine{nan, nan} : RegressionLine{0, values[0]};
  }
  const auto add = [&](CompensatedSum* sum, double x) {
    if (compensates) {
      sum->Add(x, semantics.AtLeast(2, 54));
    } else {
      sum->value += x;
    }
  };
  CompensatedSum sum_x;
  CompensatedSum sum_y;
  CompensatedSum sum_xy;
  CompensatedSum sum_xx;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = SecondsFrom(at, times[i]);
    add(&sum_x, x);
    add(&sum_y, values[i]);
    add(&sum_xy, x * values[i]);
    add(&sum_xx, x * x);
  }
  const auto n = static_cast<double>(values.size());
  const double x = sum_x.value + sum_x.compensation;
  const double y = sum_y.value + sum_y.compensation;
  const double covariance = sum_xy.value + sum_xy.compensation - x * y / n;
  const double variance = sum_xx.value + sum_xx.compensation - x * x / n;
  RegressionLine line;
  line.slope = covariance / variance;
  line.intercept = y / n - line.slope * x / n;
  return line;
}

double DoubleExponentialSmoothing(std::span<const double> values, double smoothing, double trend) {
  double before = 0;
  double level = values[0];
  double slope = values[1] - values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double x = smoothing * values[i];
    // The first difference is the first trend.
    if (i > 1) slope = trend * (level - before) + (1 - trend) * slope;
    const double y = (1 - smoothing) * (level + slope);
    before = level;
    level = x + y;
  }
  return level;
}

}  // namespace schedlens
