#ifndef SCHEDLENS_STATS_REGRESSION_H_
#define SCHEDLENS_STATS_REGRESSION_H_

// What deriv, predict_linear and double_exponential_smoothing compute over one window.

#include <span>

#include "contract/series.h"
#include "schedlens/semantics.h"

namespace schedlens {

/// A straight line: change per second, and value at the time asked for.
struct RegressionLine {
  double slope = 0;
  double intercept = 0;
};

/// Least squares through at least one sample, `at` being the time of the intercept. Prometheus:
/// compensated sums from 2.32 on, and from then on a constant series has slope zero exactly (NaN
/// when it is infinite). VictoriaMetrics: plain sums; constant, or nearly one point in time, is
/// slope zero.
RegressionLine LinearRegression(std::span<const TimeMs> times, std::span<const double> values,
                                TimeMs at, const Semantics& semantics);

/// Holt's double exponential smoothing of at least two values, factors inside (0, 1).
double DoubleExponentialSmoothing(std::span<const double> values, double smoothing, double trend);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_REGRESSION_H_
