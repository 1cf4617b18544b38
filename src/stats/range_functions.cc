// The order of the floating point operations is the specification: do not simplify it.

#include "stats/range_functions.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

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

/// The last sample at or before t, or the first one. The last of all is not asked: whatever it is,
/// the search ends before it.
std::size_t SampleAtOrBefore(std::span<const TimeMs> times, TimeMs t) {
  const auto after = std::upper_bound(times.begin(), times.end() - 1, t);
  return after == times.begin() ? 0 : static_cast<std::size_t>(after - times.begin()) - 1;
}

/// The straight line between samples i and i + 1 at time t. A counter's drop between them is taken
/// as a restart from zero: the line starts at zero. At the right edge it went on above the value
/// before up to 3.9 (`above`).
double Line(const SampleWindow& window, std::size_t i, TimeMs t, bool counter, bool above) {
  double y1 = window.values[i];
  double y2 = window.values[i + 1];
  if (counter && y2 < y1) {
    if (!above) {
      y1 = 0;
    } else {
      y2 += y1;
    }
  }
  return y1 + (y2 - y1) * static_cast<double>(t - window.times[i]) /
                  static_cast<double>(window.times[i + 1] - window.times[i]);
}

/// Drops on the way left edge, samples [first, end), right edge.
double Corrections(const SampleWindow& window, double left, double right, std::size_t first,
                   std::size_t end) {
  double correction = 0;
  double before = left;
  for (std::size_t i = first; i < end; ++i) {
    if (window.values[i] < before) correction += before;
    before = window.values[i];
  }
  if (right < before) correction += before;
  return correction;
}

/// Anchored: from the last sample at or before the start on.
template <typename Counts>
std::optional<double> CountPairs(const SampleWindow& window, bool anchored,
                                 const Semantics& semantics, const Counts& counts) {
  if (window.size() == 0) return std::nullopt;
  std::size_t first = 0;
  if (anchored) {
    if (semantics.AtLeast(3, 9) && window.times.back() <= window.start) return std::nullopt;
    first = SampleAtOrBefore(window.times, window.start);
  }
  std::size_t number = 0;
  for (std::size_t i = first + 1; i < window.size(); ++i) {
    if (counts(window.values[i - 1], window.values[i])) ++number;
  }
  return static_cast<double>(number);
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

std::optional<double> ExtrapolatedRate(const SampleWindow& window, RateKind kind,
                                       RateArithmetic arithmetic, double range_seconds) {
  const std::size_t size = window.size();
  if (size < 2) return std::nullopt;
  const bool apart = arithmetic == RateArithmetic::kUpTo239;
  const bool counter = kind != RateKind::kDelta;
  const double increase = Increase(window, counter, apart);
  const bool clip = counter && increase > 0 && window.values.front() >= 0;
  const double first_of_increase = clip ? window.values.front() / increase : 0.0;
  const SampleTimes times{window.times.front(), window.times.back(), window.start, window.end,
                          size};
  const double span = ExtrapolatedSpan(times, arithmetic, clip ? &first_of_increase : nullptr);
  double factor = span / MsToSeconds(times.last - times.first);
  if (kind != RateKind::kRate) return increase * factor;
  if (apart) return increase * factor / range_seconds;
  factor /= range_seconds;
  return increase * factor;
}

std::optional<double> ExtendedRate(const SampleWindow& window, RateKind kind, double range_seconds,
                                   bool smoothed, const Semantics& semantics) {
  if (window.size() == 0) return std::nullopt;
  const std::span<const TimeMs> times = window.times;
  // Up to 3.11 data that lies beyond the window only gave zero.
  if (smoothed && semantics.AtLeast(3, 12) && times.front() > window.end) return std::nullopt;
  const bool counter = kind != RateKind::kDelta;
  std::size_t last = window.size() - 1;
  std::size_t first = SampleAtOrBefore(times, window.start);
  if (smoothed) {
    last = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end() - 1, window.end) -
                                    times.begin());
  }
  if (times[last] <= window.start) return std::nullopt;

  double left = window.values[first];
  if (smoothed && times[first] < window.start) {
    left = Line(window, first, window.start, counter, false);
  }
  double right = window.values[last];
  if (smoothed && last > 0 && times[last] > window.end) {
    right = Line(window, last - 1, window.end, counter, !semantics.AtLeast(3, 10));
  }
  double difference = right - left;
  if (counter) {
    // Samples on or beyond the edges are already in the edge values.
    if (times[first] <= window.start) ++first;
    const std::size_t end = times[last] >= window.end ? last : last + 1;
    difference += Corrections(window, left, right, first, std::max(first, end));
  }
  if (kind == RateKind::kRate) difference /= range_seconds;
  return difference;
}

std::optional<double> InstantRate(const SampleWindow& window, bool per_second) {
  const std::size_t size = window.size();
  if (size < 2) return std::nullopt;
  const double last = window.values[size - 1];
  const double before = window.values[size - 2];
  const double change = per_second && last < before ? last : last - before;
  if (!per_second) return change;
  return change / MsToSeconds(window.times[size - 1] - window.times[size - 2]);
}

std::optional<double> CountResets(const SampleWindow& window, bool anchored,
                                  const Semantics& semantics) {
  return CountPairs(window, anchored, semantics,
                    [](double before, double now) { return now < before; });
}

std::optional<double> CountChanges(const SampleWindow& window, bool anchored,
                                   const Semantics& semantics) {
  return CountPairs(window, anchored, semantics, [](double before, double now) {
    return now != before && !(std::isnan(now) && std::isnan(before));
  });
}

}  // namespace schedlens
