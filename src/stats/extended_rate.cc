// rate, increase and delta with `anchored` and `smoothed` windows: no extrapolation; the values at
// the window's edges are taken from the samples around them.

#include <algorithm>

#include "stats/range_functions.h"

namespace schedlens {
namespace {

struct Edge {
  std::size_t sample = 0;
  double value = 0;
};

std::size_t FirstAfter(std::span<const TimeMs> times, std::size_t count, TimeMs t) {
  return static_cast<std::size_t>(std::upper_bound(times.begin(), times.begin() + count, t) -
                                  times.begin());
}

std::size_t FirstAtOrAfter(std::span<const TimeMs> times, std::size_t count, TimeMs t) {
  return static_cast<std::size_t>(std::lower_bound(times.begin(), times.begin() + count, t) -
                                  times.begin());
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

bool Extended(const SampleWindow& window, RateKind kind, double range_seconds, bool smoothed,
              const Semantics& semantics, double* result) {
  if (window.size() == 0) return false;
  // Up to 3.11 data that lies beyond the window only gave zero.
  if (smoothed && semantics.AtLeast(3, 12) && window.times.front() > window.end) return false;
  const bool counter = kind != RateKind::kDelta;
  std::size_t last = window.size() - 1;
  const std::size_t after = FirstAfter(window.times, last, window.start);
  std::size_t first = after == 0 ? 0 : after - 1;
  if (smoothed) last = FirstAtOrAfter(window.times, last, window.end);
  if (window.times[last] <= window.start) return false;

  double left = window.values[first];
  if (smoothed && window.times[first] < window.start) {
    left = Line(window, first, window.start, counter, false);
  }
  double right = window.values[last];
  if (smoothed && last > 0 && window.times[last] > window.end) {
    right = Line(window, last - 1, window.end, counter, !semantics.AtLeast(3, 10));
  }
  double difference = right - left;
  if (counter) {
    // Samples on or beyond the edges are already in the edge values.
    if (window.times[first] <= window.start) ++first;
    const std::size_t end = window.times[last] >= window.end ? last : last + 1;
    difference += Corrections(window, left, right, first, std::max(first, end));
  }
  if (kind == RateKind::kRate) difference /= range_seconds;
  *result = difference;
  return true;
}

}  // namespace

bool AnchoredRate(const SampleWindow& window, RateKind kind, double range_seconds,
                  const Semantics& semantics, double* result) {
  return Extended(window, kind, range_seconds, false, semantics, result);
}

bool SmoothedRate(const SampleWindow& window, RateKind kind, double range_seconds,
                  const Semantics& semantics, double* result) {
  return Extended(window, kind, range_seconds, true, semantics, result);
}

}  // namespace schedlens
