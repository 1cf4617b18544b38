#pragma once

// rate, increase, delta and their relatives over the samples of one window, to the bit as
// Prometheus computes them. See victoria_functions.h for VictoriaMetrics.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/series.h"
#include "schedlens/semantics.h"

namespace schedlens {

/// The samples of one series in one window, ascending in time, no stale markers.
struct SampleWindow {
  std::span<const TimeMs> times;
  std::span<const double> values;
  /// Where a value is below the one before it: indexes into a longer array of which `values` starts
  /// at `offset`. Only those inside (offset, offset + size) belong to the window.
  std::span<const std::uint32_t> drops;
  std::size_t offset = 0;
  TimeMs start = 0;  ///< edges of the window as asked
  TimeMs end = 0;

  std::size_t size() const { return values.size(); }
};

enum class RateKind { kRate, kIncrease, kDelta };

/// A Go duration in seconds: whole seconds plus the rest, rounded as Go does.
double DurationSeconds(std::int64_t ms);

/// Which order of operations a version uses; found once, used per window.
enum class RateArithmetic {
  kUpTo239,   ///< corrections summed apart; result * (span / sampled), then / range
  k240To250,  ///< one factor; zero clip before the half-interval cap
  kFrom251,   ///< one factor; zero clip after the cap
};
RateArithmetic RateArithmeticOf(const Semantics& semantics);

/// Where the samples of a window lie in it: at least two.
struct SampleTimes {
  TimeMs first = 0;
  TimeMs last = 0;
  TimeMs start = 0;  ///< edges of the window as asked
  TimeMs end = 0;
  std::size_t size = 0;
};

/// Seconds that an increase over these samples is taken to cover. `first_of_increase`, for counters
/// that can be drawn back to zero: first value over increase; else null.
double ExtrapolatedSpan(const SampleTimes& times, RateArithmetic arithmetic,
                        const double* first_of_increase);

/// Extrapolated rate, increase or delta. Nothing with fewer than two samples. `range_seconds` is
/// DurationSeconds of the range.
std::optional<double> ExtrapolatedRate(const SampleWindow& window, RateKind kind,
                                       RateArithmetic arithmetic, double range_seconds);

/// The same `anchored` or `smoothed` (3.7 and newer): no extrapolation; the values at the window's
/// edges are taken from the samples around them. The window must hold, beyond [start, end], what
/// lies in the lookback before start and, when smoothed, after end. Nothing when no sample is
/// inside.
std::optional<double> ExtendedRate(const SampleWindow& window, RateKind kind, double range_seconds,
                                   bool smoothed, const Semantics& semantics);

/// irate (per second; a drop counts from zero) and idelta of the last two samples. Nothing with
/// fewer than two.
std::optional<double> InstantRate(const SampleWindow& window, bool per_second);

/// Number of drops / of value changes between neighbours (NaN to NaN does not count). Nothing for
/// an empty window; both are 0 for a single sample. `anchored` starts at the last sample at or
/// before the window's start; when all samples lie there it gives nothing (up to 3.8 it counted the
/// last two of them).
std::optional<double> CountResets(const SampleWindow& window, bool anchored,
                                  const Semantics& semantics);
std::optional<double> CountChanges(const SampleWindow& window, bool anchored,
                                   const Semantics& semantics);

}  // namespace schedlens
