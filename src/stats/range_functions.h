#pragma once

// Functions over the samples of one window or the values of one group, to the bit as the servers
// compute them.

#include <cmath>

#include "base/series.h"
#include "schedlens/histogram.h"

namespace schedlens {

/// Neumaier's improvement of Kahan's compensated sum, as Prometheus writes it.
struct CompensatedSum {
  double value = 0, compensation = 0;

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
  double count_ = 0, mean_ = 0;
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
  double slope = 0, intercept = 0;
};

/// Least squares through at least one sample, `at` being the time of the intercept. Prometheus:
/// compensated sums from 2.32 on, and from then on a constant series has slope zero exactly (NaN
/// when it is infinite). VictoriaMetrics: plain sums; constant, or nearly one point in time, is
/// slope zero.
RegressionLine LinearRegression(std::span<const TimeMs> times, std::span<const double> values,
                                TimeMs at, const Semantics& semantics);

/// Holt's double exponential smoothing of at least two values, factors inside (0, 1).
double DoubleExponentialSmoothing(std::span<const double> values, double smoothing, double trend);

// rate, increase, delta and their relatives as Prometheus computes them.

/// The samples of one series in one window, ascending in time, no stale markers.
struct SampleWindow {
  std::span<const TimeMs> times;
  std::span<const double> values;
  /// Where a value is below the one before it: indexes into a longer array of which `values` starts
  /// at `offset`. Only those inside (offset, offset + size) belong to the window.
  std::span<const std::uint32_t> drops;
  std::size_t offset = 0;
  TimeMs start = 0, end = 0;  ///< edges of the window as asked

  std::size_t size() const { return values.size(); }
};

enum class RateKind { kRate, kIncrease, kDelta };

/// A Go duration in seconds: whole seconds plus the rest, rounded as Go does.
double DurationSeconds(std::int64_t ms);

/// Where the samples of a window lie in it: at least two.
struct SampleTimes {
  TimeMs first = 0, last = 0;
  TimeMs start = 0, end = 0;  ///< edges of the window as asked
  std::size_t size = 0;
};

/// Seconds that an increase over these samples is taken to cover. `first_of_increase`, for counters
/// that can be drawn back to zero: first value over increase; else null.
double ExtrapolatedSpan(const SampleTimes& times, const Semantics& semantics,
                        const double* first_of_increase);

/// Extrapolated rate, increase or delta. Nothing with fewer than two samples. `range_seconds` is
/// DurationSeconds of the range.
std::optional<double> ExtrapolatedRate(const SampleWindow& window, RateKind kind,
                                       const Semantics& semantics, double range_seconds);

/// The same `anchored` or `smoothed` (3.7 and newer): no extrapolation; the values at the window's
/// edges come from the samples around them, so it must hold what lies in the lookback before start
/// and, when smoothed, after end. Nothing when no sample is inside.
std::optional<double> ExtendedRate(const SampleWindow& window, RateKind kind, double range_seconds,
                                   bool smoothed, const Semantics& semantics);

/// irate (per second; a drop counts from zero) and idelta of the last two samples. Nothing with
/// fewer than two.
std::optional<double> InstantRate(const SampleWindow& window, bool per_second);

/// Number of drops / of value changes between neighbours (NaN to NaN does not count). Nothing for
/// an empty window. `anchored` starts at the last sample at or before the window's start; when all
/// samples lie there it gives nothing (up to 3.8 it counted the last two of them).
std::optional<double> CountResets(const SampleWindow& window, bool anchored,
                                  const Semantics& semantics);
std::optional<double> CountChanges(const SampleWindow& window, bool anchored,
                                   const Semantics& semantics);

// The steps of histogram_quantile over classic buckets, for callers that keep bounds sorted
// themselves and may not allocate per histogram. The public entry is schedlens/histogram.h.

/// The order of bounds: ascending, NaN (which `le` may say) behind all others, so that a histogram
/// with one has no +Inf at its end.
bool BoundBefore(double a, double b);

/// QuantileOfBuckets where the bounds are sorted, distinct and not none; repairs `counts` in place.
ClassicQuantile QuantileOfSorted(double q, std::span<const double> bounds, std::span<double> counts,
                                 const Semantics& semantics);

/// Go's sort.Search over counts[0, n): the probe order matters when counts are NaN.
std::size_t FirstAtLeast(std::span<const double> counts, std::size_t n, double rank);

/// The tolerance test of 2.49 and newer, relative to the sum of both magnitudes.
bool AlmostEqual(double a, double b, double tolerance);

/// lower + width * fraction, fused where the server's architecture does.
double Interpolate(double lower, double width, double fraction, bool fused);

// VictoriaMetrics' own rate, increase and relatives: no extrapolation; the last sample before the
// window is the left end.

/// Those named after Prometheus look at nothing outside the window, but do not extrapolate either.
enum class VictoriaFunction {
  kRate,
  kIncrease,
  kDelta,
  kIrate,
  kIdelta,
  kResets,
  kChanges,
  kPrometheusRate,
  kPrometheusIncrease,
  kPrometheusDelta,
  kPrometheusChanges
};

struct VictoriaRollup {
  VictoriaFunction function = VictoriaFunction::kRate;
  std::int64_t window_ms = 0;
  /// Of a range query; 0 for an instant query, which takes 5 minutes, the API's default step.
  std::int64_t step_ms = 0;
};

/// One result per window end (ascending); elements without a result are left as they are. Samples
/// are ascending; NaN values are skipped, as the server does not store them.
void VictoriaRollupOverSteps(const VictoriaRollup& rollup, std::span<const TimeMs> times,
                             std::span<const double> values, std::span<const TimeMs> ends,
                             std::span<double> results);

/// Adds what was lost in each counter reset to all later values. A drop by less than an eighth is
/// a partial reset: only the drop is added.
void RemoveCounterResets(std::span<double> values);

/// The longest gap to the sample before the window: 1.125 to 5 times the scrape interval, which is
/// the 0.6 quantile of the first 20 gaps; `fallback` with fewer than two samples.
std::int64_t MaxGapBefore(std::span<const TimeMs> times, std::int64_t fallback);

}  // namespace schedlens
