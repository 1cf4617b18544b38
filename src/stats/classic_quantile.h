#pragma once

// The steps of histogram_quantile over classic buckets, for callers that keep bounds sorted
// themselves and may not allocate per histogram. The public entry is schedlens/histogram.h.

#include <cstddef>
#include <span>

#include "schedlens/histogram.h"

namespace schedlens {

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

}  // namespace schedlens
