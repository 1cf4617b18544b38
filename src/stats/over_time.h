#pragma once

// How the servers add floats, and their functions of the values of one window or one group, by
// version.

#include <cmath>
#include <span>

#include "base/series.h"
#include "schedlens/semantics.h"

namespace schedlens {

/// Neumaier's improvement of Kahan's compensated sum, as Prometheus writes it.
struct CompensatedSum {
  double value = 0;
  double compensation = 0;

  /// With `zero_at_infinity` (2.54 and newer) an infinite running sum drops its compensation.
  void Add(double x, bool zero_at_infinity) {
    const double t = value + x;
    if (zero_at_infinity && std::isinf(t)) {
      compensation = 0;
    } else if (std::fabs(value) >= std::fabs(x)) {
      compensation += (value - t) + x;
    } else {
      compensation += (x - t) + value;
    }
    value = t;
  }
  double Total() const { return value + compensation; }
};

/// `sum by (...)`: plain left-to-right addition up to 2.53 (and in VictoriaMetrics), compensated
/// from 2.54 on. The first element is the start, not zero plus it: -0 stays -0.
class GroupSum {
 public:
  explicit GroupSum(const Semantics& semantics) : compensated_(semantics.AtLeast(2, 54)) {}
  void Start(double x) { sum_ = {x, 0}; }
  void Add(double x) {
    if (compensated_) {
      sum_.Add(x, true);
    } else {
      sum_.value += x;
    }
  }
  double Result() const { return compensated_ ? sum_.Total() : sum_.value; }

 private:
  bool compensated_;
  CompensatedSum sum_;
};

/// `avg by (...)`: an incremental mean up to 2.54, compensated sum over count from 2.55 on (with an
/// incremental mean once that sum overflows).
class GroupMean {
 public:
  explicit GroupMean(const Semantics& semantics)
      : compensated_(semantics.AtLeast(2, 55)), split_division_(semantics.AtLeast(3, 5)) {}
  void Start(double x);
  void Add(double x);
  double Result() const;

 private:
  bool compensated_;
  bool split_division_;  // sum/n + c/n instead of (sum + c)/n
  bool incremental_ = false;
  double count_ = 0;
  double mean_ = 0;
  CompensatedSum sum_;
};

/// The *_over_time functions. All take at least one value.
double SumOverTime(std::span<const double> values, const Semantics& semantics);
double AvgOverTime(std::span<const double> values, const Semantics& semantics);
double MinOverTime(std::span<const double> values);
double MaxOverTime(std::span<const double> values);
double VarianceOverTime(std::span<const double> values, const Semantics& semantics);

/// The median distance from the median (mad_over_time). From 3.14 on NaN when a value is NaN.
double MedianDeviation(std::span<const double> values, const Semantics& semantics);

/// The server's quantile of plain values (quantile_over_time, quantile by): sorted, NaN first,
/// linear between neighbours. NaN for no values or NaN q, -Inf / +Inf for q outside [0, 1].
double QuantileOfValues(double q, std::span<const double> values);

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
