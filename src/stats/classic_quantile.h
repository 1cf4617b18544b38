#pragma once

// The steps of histogram_quantile over classic buckets, for callers that keep bounds sorted
// themselves and may not allocate per histogram. The public entry is schedlens/histogram.h.

#include <optional>
#include <span>
#include <vector>

#include "schedlens/histogram.h"

namespace schedlens {

/// The result that q alone decides, whatever the data (Prometheus only).
std::optional<double> QuantileDecidedByQ(double q, const Semantics& semantics);

/// The order of bounds: ascending, NaN (which `le` may say) behind all others, so that a histogram
/// with one has no +Inf at its end.
bool BoundBefore(double a, double b);

/// Repairs `counts` in place and interpolates. Bounds are sorted and distinct, the last one +Inf;
/// q has passed QuantileDecidedByQ. At least one bucket.
ClassicQuantile QuantileOfSorted(double q, std::span<const double> bounds, std::span<double> counts,
                                 const Semantics& semantics);

/// VictoriaMetrics' rules, buckets sorted and merged, not empty. A decrease raises what follows;
/// up to 1.101 it lowered what came before.
ClassicQuantile VictoriaQuantileOfSorted(double q, std::span<const double> bounds,
                                         std::span<double> counts, const Semantics& semantics);

/// Go's sort.Search over counts[0, n): the probe order matters when counts are NaN.
std::size_t FirstAtLeast(std::span<const double> counts, std::size_t n, double rank);

/// The tolerance test of 2.49 and newer, relative to the sum of both magnitudes.
bool AlmostEqual(double a, double b, double tolerance);

/// lower + width * fraction, fused where the server's architecture does.
double Interpolate(double lower, double width, double fraction, bool fused);

}  // namespace schedlens
