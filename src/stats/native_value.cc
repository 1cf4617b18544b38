#include "stats/native_value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/native_quantile.h"

namespace schedlens {
namespace {

constexpr int kOpenLeft = 0;  // the API's marks
constexpr int kOpenRight = 1;
constexpr int kClosed = 3;
constexpr int kCoarsest = -4;
constexpr int kFinest = 8;
constexpr double kLargestValue = std::numeric_limits<double>::max();

bool IsZero(const NativeBucket& bucket) {
  return bucket.boundaries == kClosed && bucket.lower == -bucket.upper &&
         std::isfinite(bucket.upper);
}

/// The schema of a bucket from the ratio of its edges; nothing when they have no such ratio.
std::optional<int> SchemaOf(const NativeBin& bin) {
  constexpr double kTolerance = 1e-6;
  const double doublings = std::log2(bin.upper) - std::log2(bin.lower);
  const double schema = -std::log2(doublings);
  const double whole = std::round(schema);
  if (!(std::fabs(schema - whole) < kTolerance) || whole < kCoarsest || whole > kFinest) {
    return std::nullopt;
  }
  return static_cast<int>(whole);
}

double IndexOf(const NativeBin& bin, int schema) {
  // The last bucket is cut at the largest double, the first by the zero bucket.
  const bool last = bin.upper == kLargestValue;
  const double exponent = std::log2(last ? bin.lower : bin.upper);
  return std::round(std::ldexp(exponent, schema)) + (last ? 1 : 0);
}

/// The one schema of all buckets that are not cut; without those, of one whose edges fit a schema.
std::optional<int> CommonSchema(const std::vector<NativeBin>& bins, double zero_threshold,
                                bool* differ) {
  std::optional<int> schema;
  std::optional<int> of_cut;
  for (const NativeBin& bin : bins) {
    if (bin.upper == kLargestValue) continue;
    const std::optional<int> own = SchemaOf(bin);
    if (bin.lower == zero_threshold) {
      of_cut = own;
      continue;
    }
    if (!own || (schema && *schema != *own)) *differ = true;
    schema = own;
  }
  return schema ? schema : of_cut;
}

}  // namespace

NativeValue NativeValueOf(const NativeHistogram& histogram) {
  NativeValue value;
  value.count = histogram.count;
  value.sum = histogram.sum;
  value.custom = HasCustomBounds(histogram);
  std::vector<NativeBin> positive;
  std::vector<NativeBin> negative;
  for (const NativeBucket& bucket : histogram.buckets) {
    if (!value.custom && IsZero(bucket)) {
      value.zero_threshold = bucket.upper;
      value.zero_count = bucket.count;
    } else if (!value.custom && bucket.boundaries == kOpenRight) {
      negative.push_back({-bucket.upper, -bucket.lower, bucket.count, bucket.boundaries});
    } else {
      positive.push_back({bucket.lower, bucket.upper, bucket.count, bucket.boundaries});
    }
  }
  if (!value.custom) {
    bool differ = false;
    std::vector<NativeBin> all = positive;
    all.insert(all.end(), negative.begin(), negative.end());
    value.schema = CommonSchema(all, value.zero_threshold.value_or(0), &differ);
    if (differ) {
      value.custom = true;
      value.schema.reset();
    }
  }
  const auto key = [&](const NativeBin& bin) {
    return value.schema ? IndexOf(bin, *value.schema) : bin.upper;
  };
  for (const NativeBin& bin : positive) value.positive[key(bin)] = bin;
  for (const NativeBin& bin : negative) value.negative[key(bin)] = bin;
  return value;
}

NativeHistogram NativeHistogramOf(const NativeValue& value) {
  NativeHistogram histogram{value.count, value.sum, {}};
  const double zero = value.zero_threshold.value_or(0);
  for (auto at = value.negative.rbegin(); at != value.negative.rend(); ++at) {
    const NativeBin& bin = at->second;
    if (bin.count == 0) continue;
    histogram.buckets.push_back({-bin.upper, -std::max(bin.lower, zero), bin.count, kOpenRight});
  }
  if (value.zero_count > 0) histogram.buckets.push_back({-zero, zero, value.zero_count, kClosed});
  for (const auto& [key, bin] : value.positive) {
    if (bin.count == 0) continue;
    if (value.custom) {
      histogram.buckets.push_back({bin.lower, bin.upper, bin.count, bin.boundaries});
    } else {
      histogram.buckets.push_back({std::max(bin.lower, zero), bin.upper, bin.count, kOpenLeft});
    }
  }
  return histogram;
}

}  // namespace schedlens
