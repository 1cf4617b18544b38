#ifndef SCHEDLENS_STATS_NATIVE_RATE_H_
#define SCHEDLENS_STATS_NATIVE_RATE_H_

// rate, increase, delta and their relatives over native histograms. Counter resets are found by the
// counts; the hints a server may hold are not in its answers.

#include <cstddef>
#include <span>

#include "schedlens/semantics.h"
#include "stats/native_value.h"
#include "stats/range_functions.h"

namespace schedlens {

/// The samples of one series in one window, ascending in time.
struct NativeWindow {
  std::span<const NativeSample> samples;
  TimeMs start = 0;  ///< edges of the window as asked
  TimeMs end = 0;
};

/// Extrapolated rate, increase or delta of at least two samples into *result, at the lowest
/// resolution seen; only from 3.6 on limited by the line back to zero. What is returned tells
/// whether the samples fit together; if not, *result means nothing.
NativeMix NativeRate(const NativeWindow& window, RateKind kind, double range_seconds,
                     const Semantics& semantics, NativeValue* result);

/// irate (per second; a reset counts from zero) and idelta of the last two of at least two samples.
NativeMix NativeInstantRate(const NativeWindow& window, bool per_second, NativeValue* result);

/// Number of resets / of changes between neighbours.
double CountNativeResets(const NativeWindow& window);
double CountNativeChanges(const NativeWindow& window);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_NATIVE_RATE_H_
