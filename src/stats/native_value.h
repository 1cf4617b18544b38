#pragma once

// A native histogram to calculate with, and rate, increase, delta and their relatives over it. The
// HTTP API sends neither schema nor zero threshold, so both are read off the buckets; where no
// bucket shows them they are taken to be as the other operand's. A bucket next to the zero bucket
// whose edges fit a schema counts as whole. Counter resets are found by the counts; the hints a
// server may hold are not in its answers.

#include <map>

#include "schedlens/semantics.h"
#include "stats/range_functions.h"

namespace schedlens {

/// Edges as absolute values (custom bounds: as they are).
struct NativeBin {
  double lower = 0, upper = 0, count = 0;
  int boundaries = 0;  ///< of custom bounds, as the API marks them
  double carry = 0;    ///< compensation of a sum that is under way
};
/// By exponential index (a whole number), or by upper bound when there is no schema.
using NativeBins = std::map<double, NativeBin>;

struct NativeValue {
  double count = 0, sum = 0;
  /// -4 to 8; nothing with custom bounds, without buckets, or when every bucket is cut.
  std::optional<int> schema;
  bool custom = false;
  std::optional<double> zero_threshold;  ///< nothing: no zero bucket is shown
  double zero_count = 0, zero_carry = 0;
  NativeBins positive;  ///< custom bounds: all buckets
  NativeBins negative;

  bool HasBins() const { return !positive.empty() || !negative.empty(); }
};

/// Whether this is the bucket around zero, which is closed at both ends.
bool IsZeroBucket(const NativeBucket& bucket);

/// Custom bounds (schema -53): an infinite edge shows it, or bounds that are not a power of
/// 2^(2^-8), the finest exponential schema.
bool HasCustomBounds(const NativeHistogram& histogram);

NativeValue NativeValueOf(const NativeHistogram& histogram);

/// The API's form: ascending, without empty buckets, those that reach into the zero bucket cut.
NativeHistogram NativeHistogramOf(const NativeValue& value);

/// Whether two histograms can be calculated with together.
enum class NativeMix {
  kFits,
  kSchemas,  ///< exponential and custom buckets
  kBounds,   ///< custom buckets whose bounds are seen to differ
  kUnclear,  ///< a histogram shows only buckets cut by the zero bucket: its schema is unknown
};
NativeMix MixOf(const NativeValue& a, const NativeValue& b);

/// Adds `factor` (1 or -1) times `other` at the lower of both resolutions, with a zero bucket wide
/// enough for both; nothing when they do not fit. An edge that no input shows is exact to the last
/// places only.
NativeMix AddNative(NativeValue* value, const NativeValue& other, double factor);

/// Histograms added one after another, plainly or (3.10 and newer) compensated as floats are.
class NativeSum {
 public:
  explicit NativeSum(bool compensated) : compensated_(compensated) {}
  NativeMix Add(const NativeValue& value);
  NativeValue Result() const;

 private:
  bool compensated_, started_ = false;
  NativeValue value_;
  double count_carry_ = 0, sum_carry_ = 0;
};

void MultiplyNative(NativeValue* value, double factor);
void DivideNative(NativeValue* value, double divisor);

/// Whether `now` cannot follow `before` without a counter reset: a lower count, zero count or
/// bucket, a higher resolution, a smaller zero threshold or one inside a populated bucket.
bool NativeReset(const NativeValue& now, const NativeValue& before);

/// Equal in everything the API shows; NaN sums of equal bits are equal.
bool EqualNative(const NativeValue& a, const NativeValue& b);

/// The samples of one series in one window, ascending in time.
struct NativeWindow {
  std::span<const NativeSample> samples;
  TimeMs start = 0, end = 0;  ///< edges of the window as asked
};

/// Extrapolated rate, increase or delta of at least two samples into *result, at the lowest
/// resolution seen; only from 3.6 on limited by the line back to zero. What is returned tells
/// whether the samples fit together; if not, *result means nothing.
NativeMix NativeRate(const NativeWindow& window, RateKind kind, double range_seconds,
                     const Semantics& semantics, NativeValue* result);

/// irate (per second; a reset counts from zero) and idelta of the last two of at least two samples.
NativeMix NativeInstantRate(const NativeWindow& window, bool per_second, NativeValue* result);

/// Number of neighbours for which `counts` is true: NativeReset, or their being different.
double CountNative(const NativeWindow& window,
                   bool (*counts)(const NativeValue& now, const NativeValue& before));

// histogram_quantile and histogram_fraction of native histograms, from the buckets as the HTTP API
// sends them. Whether an empty negative (or positive) bucket array exists on the server cannot be
// seen there; it is taken to exist only when a bucket shows it, which can matter for a result in
// the zero bucket.

struct NativeQuantile {
  double shown = 0;    ///< what the server gives
  double correct = 0;  ///< differs where the server's NaN scan (3.5 and newer) takes a wrong bucket
  double lower = 0, upper = 0;  ///< of the bucket of the rank
  bool inside = false;          ///< a bucket was found; else shown is NaN, an infinity or a bound
};

NativeQuantile QuantileOfNative(double q, const NativeHistogram& histogram,
                                const Semantics& semantics);

double FractionOfNative(double lower, double upper, const NativeHistogram& histogram,
                        const Semantics& semantics);

/// histogram_stdvar (2.47 and newer); its root is histogram_stddev.
double VarianceOfNative(const NativeHistogram& histogram, const Semantics& semantics);

}  // namespace schedlens
