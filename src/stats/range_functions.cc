// The order of the floating point operations is the specification: do not simplify it.

#include "stats/range_functions.h"

#include <algorithm>
#include <cmath>

#include "model/seconds.h"

namespace schedlens {
namespace {

/// Last minus first, with the value before each drop added: onto the difference one by one in time
/// order, or (up to 2.39) summed apart first.
double Increase(const SampleWindow& window, bool counter, bool apart) {
  const double difference = window.values.back() - window.values.front();
  if (!counter) return difference;
  double corrected = apart ? 0.0 : difference;
  for (const std::uint32_t at : window.drops) {
    if (at <= window.offset) continue;
    const std::size_t i = at - window.offset;
    if (i >= window.size()) break;
    corrected += window.values[i - 1];
  }
  return apart ? difference + corrected : corrected;
}

}  // namespace

double DurationSeconds(std::int64_t ms) {
  const auto whole = static_cast<double>(ms / 1000);
  const auto nanoseconds = static_cast<double>(ms % 1000 * 1'000'000);
  return whole + nanoseconds / 1e9;
}

RateArithmetic RateArithmeticOf(const Semantics& semantics) {
  if (semantics.AtLeast(2, 51)) return RateArithmetic::kFrom251;
  if (semantics.AtLeast(2, 40)) return RateArithmetic::k240To250;
  return RateArithmetic::kUpTo239;
}

double ExtrapolatedSpan(const SampleTimes& times, RateArithmetic arithmetic,
                        const double* first_of_increase) {
  double to_start = MsToSeconds(times.first - times.start);
  double to_end = MsToSeconds(times.end - times.last);
  const double sampled = MsToSeconds(times.last - times.first);
  const double average = sampled / static_cast<double>(times.size - 1);
  const double threshold = average * 1.1;

  // Counters start at zero: the straight line back to zero limits the extrapolation.
  const bool clip = first_of_increase != nullptr;
  const double to_zero = clip ? sampled * *first_of_increase : 0.0;
  if (arithmetic == RateArithmetic::kFrom251) {
    if (to_start >= threshold) to_start = average / 2;
    if (clip && to_zero < to_start) to_start = to_zero;
  } else {
    if (clip && to_zero < to_start) to_start = to_zero;
    if (!(to_start < threshold)) to_start = average / 2;
  }
  if (!(to_end < threshold)) to_end = average / 2;

  double span = sampled;
  span += to_start;
  span += to_end;
  return span;
}

bool ExtrapolatedRate(const SampleWindow& window, RateKind kind, RateArithmetic arithmetic,
                      double range_seconds, double* result) {
  const std::size_t size = window.size();
  if (size < 2) return false;
  const bool counter = kind != RateKind::kDelta;
  const double increase = Increase(window, counter, arithmetic == RateArithmetic::kUpTo239);
  const bool clip = counter && increase > 0 && window.values.front() >= 0;
  const double first_of_increase = clip ? window.values.front() / increase : 0.0;
  const SampleTimes times{window.times.front(), window.times.back(), window.start, window.end,
                          size};
  const double span = ExtrapolatedSpan(times, arithmetic, clip ? &first_of_increase : nullptr);
  const double sampled = MsToSeconds(times.last - times.first);
  if (arithmetic == RateArithmetic::kUpTo239) {
    *result = increase * (span / sampled);
    if (kind == RateKind::kRate) *result /= range_seconds;
    return true;
  }
  double factor = span / sampled;
  if (kind == RateKind::kRate) factor /= range_seconds;
  *result = increase * factor;
  return true;
}

bool InstantRate(const SampleWindow& window, bool per_second, double* result) {
  const std::size_t size = window.size();
  if (size < 2) return false;
  const double last = window.values[size - 1];
  const double before = window.values[size - 2];
  *result = per_second && last < before ? last : last - before;
  if (per_second) *result /= MsToSeconds(window.times[size - 1] - window.times[size - 2]);
  return true;
}

namespace {

/// The first sample that counts: with anchored, the last one at or before the start.
bool FirstOf(const SampleWindow& window, bool anchored, const Semantics& semantics,
             std::size_t* first) {
  *first = 0;
  if (window.size() == 0) return false;
  if (!anchored) return true;
  if (semantics.AtLeast(3, 9) && window.times.back() <= window.start) return false;
  // The last sample is not asked: whatever it is, the search ends before it.
  const auto after = std::upper_bound(window.times.begin(), window.times.end() - 1, window.start);
  const auto at = static_cast<std::size_t>(after - window.times.begin());
  *first = at == 0 ? 0 : at - 1;
  return true;
}

template <typename Counts>
bool CountPairs(const SampleWindow& window, bool anchored, const Semantics& semantics,
                const Counts& counts, double* result) {
  std::size_t first = 0;
  if (!FirstOf(window, anchored, semantics, &first)) return false;
  std::size_t number = 0;
  for (std::size_t i = first + 1; i < window.size(); ++i) {
    if (counts(window.values[i - 1], window.values[i])) ++number;
  }
  *result = static_cast<double>(number);
  return true;
}

}  // namespace

bool CountResets(const SampleWindow& window, bool anchored, const Semantics& semantics,
                 double* result) {
  return CountPairs(
      window, anchored, semantics, [](double before, double now) { return now < before; }, result);
}

bool CountChanges(const SampleWindow& window, bool anchored, const Semantics& semantics,
                  double* result) {
  return CountPairs(
      window, anchored, semantics,
      [](double before, double now) {
        return now != before && !(std::isnan(now) && std::isnan(before));
      },
      result);
}

}  // namespace schedlens
