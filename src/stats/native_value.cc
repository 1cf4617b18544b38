#include "stats/native_value.h"

#include <algorithm>
#include <bit>

#include "base/text.h"

namespace schedlens {
namespace {

constexpr int kOpenLeft = 0;  // the API's marks
constexpr int kOpenRight = 1;
constexpr int kClosed = 3;
constexpr int kCoarsest = -4;
constexpr int kFinest = 8;
constexpr double kLargest = std::numeric_limits<double>::max();

/// The schema of a bucket from the ratio of its edges; nothing when they have no such ratio.
std::optional<int> SchemaOf(const NativeBin& bin) {
  constexpr double kTolerance = 1e-6;
  const double doublings = std::log2(bin.upper) - std::log2(bin.lower);
  const double schema = -std::log2(doublings), whole = std::round(schema);
  if (!(std::fabs(schema - whole) < kTolerance) || whole < kCoarsest || whole > kFinest) {
    return std::nullopt;
  }
  return static_cast<int>(whole);
}

double IndexOf(const NativeBin& bin, int schema) {
  // The last bucket is cut at the largest double, the first by the zero bucket.
  const bool last = bin.upper == kLargest;
  const double exponent = std::log2(last ? bin.lower : bin.upper);
  return std::round(std::ldexp(exponent, schema)) + (last ? 1 : 0);
}

/// The one schema of all buckets that are not cut; without those, of one whose edges fit a schema.
std::optional<int> CommonSchema(const std::vector<NativeBin>& bins, double zero_threshold,
                                bool* differ) {
  std::optional<int> schema, of_cut;
  for (const NativeBin& bin : bins) {
    if (bin.upper == kLargest) continue;
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

/// Upper edge of bucket `index`.
double BoundOf(double index, int schema) {
  const double exponent = std::ldexp(index, -schema);
  const double whole = std::floor(exponent);
  return std::min(std::ldexp(std::exp2(exponent - whole), static_cast<int>(whole)), kLargest);
}

NativeBins Reduced(const NativeBins& bins, int from, int to) {
  NativeBins reduced;
  const double merged = std::ldexp(1, from - to);
  for (const auto& [index, bin] : bins) {
    const double target = std::floor((index - 1) / merged) + 1;
    const double place = (index - 1) - (target - 1) * merged;  // 0 to merged - 1
    const auto [entry, added] = reduced.try_emplace(target);
    NativeBin& sum = entry->second;
    if (added) sum = {BoundOf(target - 1, to), BoundOf(target, to), 0, bin.boundaries, 0};
    if (place == 0) sum.lower = bin.lower;
    if (place == merged - 1) sum.upper = bin.upper;
    sum.count += bin.count;
    sum.carry += bin.carry;
  }
  return reduced;
}

void ReduceTo(NativeValue* value, int schema) {
  if (!value->schema || *value->schema <= schema) return;
  value->positive = Reduced(value->positive, *value->schema, schema);
  value->negative = Reduced(value->negative, *value->schema, schema);
  value->schema = schema;
}

/// Puts the bins of one side below `threshold` into the zero count; a populated bin around it
/// raises it. True when it rose.
bool Swallow(NativeBins* bins, double* threshold, NativeValue* value) {
  while (!bins->empty() && bins->begin()->second.lower < *threshold) {
    const NativeBin bin = bins->begin()->second;
    value->zero_count += bin.count;
    value->zero_carry += bin.carry;
    bins->erase(bins->begin());
    if (bin.upper > *threshold) {
      if (bin.count == 0) return false;
      *threshold = bin.upper;
      return true;
    }
  }
  return false;
}

/// Widens the zero bucket to at least `threshold`.
void WidenZero(NativeValue* value, double threshold) {
  if (value->zero_threshold && *value->zero_threshold >= threshold) return;
  double wide = threshold;
  bool again = true;
  while (again) {
    const bool rose = Swallow(&value->positive, &wide, value);
    again = Swallow(&value->negative, &wide, value) || rose;
  }
  value->zero_threshold = wide;
}

/// A histogram that shows no zero bucket has the other's threshold, or one below its own buckets.
void AssumeZero(NativeValue* value, double others) {
  if (value->zero_threshold) return;
  for (const NativeBins* bins : {&value->positive, &value->negative}) {
    if (!bins->empty()) others = std::min(others, bins->begin()->second.lower);
  }
  value->zero_threshold = others;
}

bool SeenToDiffer(const NativeBins& a, const NativeBins& b) {
  for (const auto& [key, bin] : b) {
    for (const auto& [other_key, other] : a) {
      const bool same = other.lower == bin.lower && other.upper == bin.upper;
      if (!same && other.lower < bin.upper && bin.lower < other.upper) return true;
    }
  }
  return false;
}

/// Adds x to *value; what rounding takes away goes to *carry, when there is one.
void AddTo(double* value, double x, double* carry) {
  if (carry == nullptr) {
    *value += x;
    return;
  }
  CompensatedSum sum{*value, *carry};
  sum.Add(x, true);
  *value = sum.value;
  *carry = sum.compensation;
}

void DropEmpty(NativeBins* bins) {
  std::erase_if(
      *bins, [](const auto& entry) { return entry.second.count == 0 && entry.second.carry == 0; });
}

void AddBins(NativeBins* bins, const NativeBins& others, double factor, bool compensated) {
  for (const auto& [key, other] : others) {
    const auto [entry, added] = bins->try_emplace(key, other);
    NativeBin& bin = entry->second;
    if (added) bin.count = bin.carry = 0;
    AddTo(&bin.count, factor * other.count, compensated ? &bin.carry : nullptr);
  }
  DropEmpty(bins);
}

/// Changes every count of the histogram; bins that are empty then are dropped.
template <typename Change>
void ForCounts(NativeValue* value, const Change& change) {
  change(value->zero_count);
  change(value->count);
  for (NativeBins* bins : {&value->positive, &value->negative}) {
    for (auto& [key, bin] : *bins) change(bin.count);
    DropEmpty(bins);
  }
}

/// Whether a populated bin of `before` is missing or lower in `now`.
bool Fell(const NativeBins& now, const NativeBins& before) {
  return std::ranges::any_of(before, [&](const auto& entry) {
    const auto found = now.find(entry.first);
    return found == now.end() ? entry.second.count != 0 : found->second.count < entry.second.count;
  });
}

/// Brings both to one resolution and zero bucket and adds the buckets; count and sum are left.
NativeMix AddShape(NativeValue* value, const NativeValue& other, double factor, bool compensated) {
  const NativeMix mix = MixOf(*value, other);
  if (mix != NativeMix::kFits) return mix;
  NativeValue right = other;
  value->custom = value->custom || right.custom;
  if (value->schema && right.schema) {
    ReduceTo(&right, *value->schema);
    ReduceTo(value, *right.schema);
  } else if (right.schema) {
    value->schema = right.schema;
  }
  if (value->zero_threshold || right.zero_threshold) {
    AssumeZero(value, right.zero_threshold.value_or(0));
    AssumeZero(&right, *value->zero_threshold);
    while (*value->zero_threshold != *right.zero_threshold) {
      WidenZero(&right, *value->zero_threshold);
      WidenZero(value, *right.zero_threshold);
    }
  }
  AddTo(&value->zero_count, factor * right.zero_count, compensated ? &value->zero_carry : nullptr);
  AddBins(&value->positive, right.positive, factor, compensated);
  AddBins(&value->negative, right.negative, factor, compensated);
  return mix;
}

/// Last minus first, with the histogram before each reset added.
NativeMix Increase(const std::vector<NativeValue>& values, bool counter, bool skip_first,
                   NativeValue* result) {
  // From 3.0 on a first sample that a reset follows is not looked at, whatever its layout.
  const bool skip = counter && skip_first && NativeReset(values[1], values[0]);
  NativeValue first = values.front();
  if (skip) {
    first = NativeValue();
    first.schema = values[1].schema;
    first.custom = values[1].custom;
  }
  *result = values.back();
  NativeMix mix = AddNative(result, first, -1);
  if (!counter) return mix;
  for (std::size_t i = 1; i < values.size() && mix == NativeMix::kFits; ++i) {
    if (i == 1 && skip) continue;
    // Samples between the ends lower the resolution too, and may be of the other kind.
    NativeValue nothing = values[i];
    MultiplyNative(&nothing, 0);
    nothing.schema = values[i].schema;
    nothing.zero_threshold.reset();
    mix = MixOf(*result, values[i]) == NativeMix::kSchemas ? NativeMix::kSchemas
                                                           : AddNative(result, nothing, 1);
    if (mix == NativeMix::kFits && NativeReset(values[i], values[i - 1])) {
      mix = AddNative(result, values[i - 1], 1);
    }
  }
  return mix;
}

}  // namespace

bool IsZeroBucket(const NativeBucket& bucket) {
  return bucket.boundaries == kClosed && bucket.lower == -bucket.upper &&
         std::isfinite(bucket.upper);
}

bool HasCustomBounds(const NativeHistogram& histogram) {
  double zero_edge = 0;
  for (const NativeBucket& bucket : histogram.buckets) {
    if (IsZeroBucket(bucket)) zero_edge = bucket.upper;
  }
  for (const NativeBucket& bucket : histogram.buckets) {
    for (const double edge : {bucket.lower, bucket.upper}) {
      if (std::isinf(edge)) return true;
      const double size = std::fabs(edge);
      // The zero bucket may cut into its neighbours.
      if (size != 0 && size != zero_edge && !IsPowerEdge(size)) return true;
    }
  }
  return false;
}

NativeValue NativeValueOf(const NativeHistogram& histogram) {
  NativeValue value;
  value.count = histogram.count;
  value.sum = histogram.sum;
  value.custom = HasCustomBounds(histogram);
  std::vector<NativeBin> positive, negative;
  for (const NativeBucket& bucket : histogram.buckets) {
    if (!value.custom && IsZeroBucket(bucket)) {
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

NativeMix MixOf(const NativeValue& a, const NativeValue& b) {
  // Without buckets a histogram with observations at zero is exponential; an empty one is either.
  const auto kind = [](const NativeValue& value) {
    if (value.custom) return 1;
    return value.HasBins() || value.zero_threshold ? 2 : 0;
  };
  if (kind(a) + kind(b) == 3 && kind(a) != 0 && kind(b) != 0) return NativeMix::kSchemas;
  if (a.custom && b.custom && SeenToDiffer(a.positive, b.positive)) return NativeMix::kBounds;
  for (const NativeValue* value : {&a, &b}) {
    if (!value->custom && value->HasBins() && !value->schema) return NativeMix::kUnclear;
  }
  return NativeMix::kFits;
}

NativeMix AddNative(NativeValue* value, const NativeValue& other, double factor) {
  const NativeMix mix = AddShape(value, other, factor, false);
  if (mix != NativeMix::kFits) return mix;
  value->count += factor * other.count;
  value->sum += factor * other.sum;
  return mix;
}

NativeMix NativeSum::Add(const NativeValue& value) {
  if (!started_) {
    value_ = value;
    started_ = true;
    return NativeMix::kFits;
  }
  const NativeMix mix = AddShape(&value_, value, 1, compensated_);
  if (mix != NativeMix::kFits) return mix;
  AddTo(&value_.count, value.count, compensated_ ? &count_carry_ : nullptr);
  AddTo(&value_.sum, value.sum, compensated_ ? &sum_carry_ : nullptr);
  return mix;
}

NativeValue NativeSum::Result() const {
  NativeValue result = value_;
  result.count += count_carry_;
  result.sum += sum_carry_;
  result.zero_count += std::exchange(result.zero_carry, 0);
  for (NativeBins* bins : {&result.positive, &result.negative}) {
    for (auto& [key, bin] : *bins) bin.count += std::exchange(bin.carry, 0);
    DropEmpty(bins);
  }
  return result;
}

void MultiplyNative(NativeValue* value, double factor) {
  ForCounts(value, [=](double& count) { count *= factor; });
  value->sum *= factor;
}

void DivideNative(NativeValue* value, double divisor) {
  // From 3.0 on a division by zero leaves no buckets: their counts would be no numbers.
  if (divisor == 0) {
    value->positive.clear();
    value->negative.clear();
  }
  ForCounts(value, [=](double& count) { count /= divisor; });
  value->sum /= divisor;
}

bool NativeReset(const NativeValue& now, const NativeValue& before) {
  if (now.count < before.count) return true;
  const NativeMix mix = MixOf(now, before);
  if (mix == NativeMix::kSchemas || mix == NativeMix::kBounds) return true;
  if (mix == NativeMix::kUnclear) return Fell(now.positive, before.positive);
  if (now.schema && before.schema && *now.schema > *before.schema) return true;
  NativeValue current = now;
  NativeValue previous = before;
  if (current.schema) ReduceTo(&previous, *current.schema);
  if (current.zero_threshold || previous.zero_threshold) {
    AssumeZero(&current, previous.zero_threshold.value_or(0));
    AssumeZero(&previous, *current.zero_threshold);
    if (*current.zero_threshold < *previous.zero_threshold) return true;
    WidenZero(&previous, *current.zero_threshold);
    if (*previous.zero_threshold != *current.zero_threshold) return true;
  }
  return current.zero_count < previous.zero_count || Fell(current.positive, previous.positive) ||
         Fell(current.negative, previous.negative);
}

bool EqualNative(const NativeValue& a, const NativeValue& b) {
  const NativeHistogram left = NativeHistogramOf(a), right = NativeHistogramOf(b);
  return left.count == right.count && left.buckets == right.buckets &&
         std::bit_cast<std::uint64_t>(left.sum) == std::bit_cast<std::uint64_t>(right.sum);
}

NativeMix NativeRate(const NativeWindow& window, RateKind kind, double range_seconds,
                     const Semantics& semantics, NativeValue* result) {
  std::vector<NativeValue> values;
  for (const NativeSample& sample : window.samples) values.push_back(NativeValueOf(sample.h));
  const bool counter = kind != RateKind::kDelta;
  const NativeMix mix = Increase(values, counter, semantics.AtLeast(3, 0), result);
  if (mix != NativeMix::kFits) return mix;
  const double first = values.front().count;
  const bool clip = counter && semantics.AtLeast(3, 6) && result->count > 0 && first >= 0;
  const double first_of_increase = clip ? first / result->count : 0;
  const SampleTimes times{window.samples.front().t, window.samples.back().t, window.start,
                          window.end, window.samples.size()};
  double factor = ExtrapolatedSpan(times, semantics, clip ? &first_of_increase : nullptr) /
                  MsToSeconds(times.last - times.first);
  if (kind == RateKind::kRate) factor /= range_seconds;
  MultiplyNative(result, factor);
  return mix;
}

NativeMix NativeInstantRate(const NativeWindow& window, bool per_second, NativeValue* result) {
  const NativeSample& last = window.samples[window.samples.size() - 1];
  const NativeSample& before = window.samples[window.samples.size() - 2];
  *result = NativeValueOf(last.h);
  const NativeValue previous = NativeValueOf(before.h);
  NativeMix mix = NativeMix::kFits;
  if (!per_second || !NativeReset(*result, previous)) mix = AddNative(result, previous, -1);
  if (per_second) DivideNative(result, MsToSeconds(last.t - before.t));
  return mix;
}

double CountNative(const NativeWindow& window,
                   bool (*counts)(const NativeValue& now, const NativeValue& before)) {
  double number = 0;
  for (std::size_t i = 1; i < window.samples.size(); ++i) {
    const NativeValue now = NativeValueOf(window.samples[i].h);
    if (counts(now, NativeValueOf(window.samples[i - 1].h))) ++number;
  }
  return number;
}

}  // namespace schedlens
