#include "stats/native_rate.h"

#include <vector>

#include "model/seconds.h"

namespace schedlens {
namespace {

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
  double factor =
      ExtrapolatedSpan(times, RateArithmeticOf(semantics), clip ? &first_of_increase : nullptr) /
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

double CountNativeResets(const NativeWindow& window) {
  double number = 0;
  for (std::size_t i = 1; i < window.samples.size(); ++i) {
    if (NativeReset(NativeValueOf(window.samples[i].h), NativeValueOf(window.samples[i - 1].h))) {
      ++number;
    }
  }
  return number;
}

double CountNativeChanges(const NativeWindow& window) {
  double number = 0;
  for (std::size_t i = 1; i < window.samples.size(); ++i) {
    if (!EqualNative(NativeValueOf(window.samples[i].h), NativeValueOf(window.samples[i - 1].h))) {
      ++number;
    }
  }
  return number;
}

}  // namespace schedlens
