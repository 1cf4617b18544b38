// Sums, differences and resets of native histograms: resolution and zero bucket are brought
// together first.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "stats/native_value.h"
#include "stats/summation.h"

namespace schedlens {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

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
    if (added) {
      sum = {BoundOf(target - 1, to), BoundOf(target, to), 0, bin.boundaries, 0};
    }
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

void ReconcileZero(NativeValue* a, NativeValue* b) {
  if (!a->zero_threshold && !b->zero_threshold) return;
  AssumeZero(a, b->zero_threshold.value_or(0));
  AssumeZero(b, *a->zero_threshold);
  while (*a->zero_threshold != *b->zero_threshold) {
    WidenZero(b, *a->zero_threshold);
    WidenZero(a, *b->zero_threshold);
  }
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

void AddBins(NativeBins* bins, const NativeBins& others, double factor, bool compensated) {
  for (const auto& [key, other] : others) {
    const auto [entry, added] = bins->try_emplace(key, other);
    NativeBin& bin = entry->second;
    if (added) bin.count = bin.carry = 0;
    AddTo(&bin.count, factor * other.count, compensated ? &bin.carry : nullptr);
  }
}

void DropEmpty(NativeBins* bins) {
  std::erase_if(
      *bins, [](const auto& entry) { return entry.second.count == 0 && entry.second.carry == 0; });
}

/// Whether a populated bin of `before` is missing or lower in `now`.
bool Fell(const NativeBins& now, const NativeBins& before) {
  return std::any_of(before.begin(), before.end(), [&](const auto& entry) {
    const auto found = now.find(entry.first);
    return found == now.end() ? entry.second.count != 0 : found->second.count < entry.second.count;
  });
}

}  // namespace

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

namespace {

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
  ReconcileZero(value, &right);
  AddTo(&value->zero_count, factor * right.zero_count, compensated ? &value->zero_carry : nullptr);
  AddBins(&value->positive, right.positive, factor, compensated);
  AddBins(&value->negative, right.negative, factor, compensated);
  DropEmpty(&value->positive);
  DropEmpty(&value->negative);
  return mix;
}

}  // namespace

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
  value->zero_count *= factor;
  value->count *= factor;
  value->sum *= factor;
  for (NativeBins* bins : {&value->positive, &value->negative}) {
    for (auto& [key, bin] : *bins) bin.count *= factor;
    DropEmpty(bins);
  }
}

void DivideNative(NativeValue* value, double divisor) {
  value->zero_count /= divisor;
  value->count /= divisor;
  value->sum /= divisor;
  for (NativeBins* bins : {&value->positive, &value->negative}) {
    for (auto& [key, bin] : *bins) bin.count /= divisor;
    // From 3.0 on a division by zero leaves no buckets: their counts would be no numbers.
    if (divisor == 0) bins->clear();
    DropEmpty(bins);
  }
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
  const NativeHistogram left = NativeHistogramOf(a);
  const NativeHistogram right = NativeHistogramOf(b);
  return left.count == right.count && left.buckets == right.buckets &&
         std::bit_cast<std::uint64_t>(left.sum) == std::bit_cast<std::uint64_t>(right.sum);
}

}  // namespace schedlens
