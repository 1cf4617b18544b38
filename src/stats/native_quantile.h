#pragma once

// histogram_quantile and histogram_fraction of native histograms, from the buckets as the HTTP API
// sends them. Whether an empty negative (or positive) bucket array exists on the server cannot be
// seen there; it is taken to exist only when a bucket shows it, which can matter for a result in
// the zero bucket.

#include "base/series.h"
#include "schedlens/semantics.h"

namespace schedlens {

struct NativeQuantile {
  double shown = 0;    ///< what the server gives
  double correct = 0;  ///< differs where the server's NaN scan (3.5 and newer) takes a wrong bucket
  double lower = 0;    ///< of the bucket of the rank
  double upper = 0;
  bool inside = false;  ///< a bucket was found; else shown is NaN, an infinity or a bound
};

NativeQuantile QuantileOfNative(double q, const NativeHistogram& histogram,
                                const Semantics& semantics);

double FractionOfNative(double lower, double upper, const NativeHistogram& histogram,
                        const Semantics& semantics);

/// histogram_stdvar (2.47 and newer); its root is histogram_stddev.
double VarianceOfNative(const NativeHistogram& histogram, const Semantics& semantics);

}  // namespace schedlens
