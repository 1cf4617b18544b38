#ifndef SCHEDLENS_STATS_NATIVE_VALUE_H_
#define SCHEDLENS_STATS_NATIVE_VALUE_H_

// A native histogram to calculate with. The HTTP API sends neither schema nor zero threshold, so
// both are read off the buckets; where no bucket shows them they are taken to be as the other
// operand's. A bucket next to the zero bucket whose edges fit a schema counts as whole.

#include <map>
#include <optional>

#include "contract/series.h"
#include "schedlens/semantics.h"

namespace schedlens {

/// Edges as absolute values (custom bounds: as they are).
struct NativeBin {
  double lower = 0;
  double upper = 0;
  double count = 0;
  int boundaries = 0;  ///< of custom bounds, as the API marks them
  double carry = 0;    ///< compensation of a sum that is under way
  bool operator==(const NativeBin&) const = default;
};
/// By exponential index (a whole number), or by upper bound when there is no schema.
using NativeBins = std::map<double, NativeBin>;

struct NativeValue {
  double count = 0;
  double sum = 0;
  /// -4 to 8; nothing with custom bounds, without buckets, or when every bucket is cut.
  std::optional<int> schema;
  bool custom = false;
  std::optional<double> zero_threshold;  ///< nothing: no zero bucket is shown
  double zero_count = 0;
  double zero_carry = 0;
  NativeBins positive;  ///< custom bounds: all buckets
  NativeBins negative;

  bool HasBins() const { return !positive.empty() || !negative.empty(); }
};

NativeValue NativeValueOf(const NativeHistogram& histogram);

/// The API's form: buckets in ascending order, empty ones left out, those that reach into the zero
/// bucket cut.
NativeHistogram NativeHistogramOf(const NativeValue& value);

/// Whether two histograms can be calculated with together.
enum class NativeMix {
  kFits,
  kSchemas,  ///< exponential and custom buckets
  kBounds,   ///< custom buckets whose bounds are seen to differ
  kUnclear,  ///< a histogram shows only buckets cut by the zero bucket: its schema is unknown
};
NativeMix MixOf(const NativeValue& a, const NativeValue& b);

/// Adds `factor` (1 or -1) times `other`: at the lower of both resolutions, with a zero bucket wide
/// enough for both. Leaves `value` as it is when the two do not fit. A merged bucket's edge that no
/// input shows is exact to the last places only.
NativeMix AddNative(NativeValue* value, const NativeValue& other, double factor);

/// Histograms added one after another, plainly or (3.10 and newer) compensated as floats are.
class NativeSum {
 public:
  explicit NativeSum(bool compensated) : compensated_(compensated) {}
  NativeMix Add(const NativeValue& value);
  NativeValue Result() const;

 private:
  bool compensated_;
  bool started_ = false;
  NativeValue value_;
  double count_carry_ = 0;
  double sum_carry_ = 0;
};

void MultiplyNative(NativeValue* value, double factor);
void DivideNative(NativeValue* value, double divisor);

/// Whether `now` cannot follow `before` without a counter reset: a lower count, zero count or
/// bucket, a higher resolution, a smaller zero threshold or one inside a populated bucket.
bool NativeReset(const NativeValue& now, const NativeValue& before);

/// Equal in everything the API shows; NaN sums of equal bits are equal.
bool EqualNative(const NativeValue& a, const NativeValue& b);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_NATIVE_VALUE_H_
