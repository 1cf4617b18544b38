#ifndef SCHEDLENS_STATS_OVER_TIME_H_
#define SCHEDLENS_STATS_OVER_TIME_H_

// The *_over_time functions on the values of one window, by version.

#include <span>

#include "schedlens/semantics.h"

namespace schedlens {

/// All take at least one value.
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

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_OVER_TIME_H_
