#include "stats/victoria_functions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/seconds.h"
#include "stats/over_time.h"

namespace schedlens {
namespace {

constexpr std::int64_t kDefaultStep = 5 * 60 * 1000;
// The server reads this much more than the window, to find the sample before it.
constexpr std::int64_t kReadBefore = 5 * 60 * 1000;
constexpr std::size_t kGapsLookedAt = 20;
constexpr double kPrecision = 1e-12;

/// What one step sees.
struct View {
  std::span<const TimeMs> times;
  std::span<const double> values;
  bool has_before = false;  // a sample within the longest gap before the window
  TimeMs before_time = 0;
  double before = 0;
  bool has_any_before = false;  // a sample before the window, however old
  double any_before = 0;
  bool has_next = false;
  double next = 0;
};

bool Rate(const View& view, double* result) {
  if (!view.has_before && view.values.size() < 2) return false;
  if (view.values.empty()) {
    *result = 0;  // taken as unchanged
    return true;
  }
  const double first = view.has_before ? view.before : view.values.front();
  const TimeMs first_time = view.has_before ? view.before_time : view.times.front();
  *result = (view.values.back() - first) / MsToSeconds(view.times.back() - first_time);
  return true;
}

/// A series that begins in the window started at zero if its first value is small against its
/// first step.
double StartOf(const View& view) {
  const double first = view.values.front();
  double step = 0;
  if (view.values.size() > 1) {
    step = view.values[1] - first;
  } else if (view.has_next) {
    step = view.next - first;
  }
  return std::fabs(first) < 10 * (std::fabs(step) + 1) ? 0.0 : first;
}

bool Delta(const View& view, double* result) {
  if (view.values.empty()) {
    *result = 0;
    return view.has_before;
  }
  double start = 0;
  if (view.has_before) {
    start = view.before;
  } else if (view.has_any_before) {
    start = view.any_before;
  } else {
    start = StartOf(view);
  }
  *result = view.values.back() - start;
  return true;
}

bool InstantDelta(const View& view, double* result) {
  const std::size_t size = view.values.size();
  if (size == 0) {
    *result = 0;
    return view.has_before;
  }
  *result = view.values.back();
  if (size > 1) {
    *result -= view.values[size - 2];
  } else if (view.has_before) {
    *result -= view.before;
  }
  return true;
}

bool InstantRate(const View& view, double* result) {
  const std::size_t size = view.values.size();
  if (size == 0 || (size == 1 && !view.has_before)) return false;
  const double before = size > 1 ? view.values[size - 2] : view.before;
  const TimeMs before_time = size > 1 ? view.times[size - 2] : view.before_time;
  *result = (view.values.back() - before) / MsToSeconds(view.times.back() - before_time);
  return true;
}

/// A difference in the last digits does not count.
bool Differs(double a, double b) { return std::fabs(b - a) >= kPrecision * std::fabs(b); }

bool Resets(const View& view, double* result) {
  *result = 0;
  if (view.values.empty()) return view.has_before;
  double before = view.has_before ? view.before : view.values.front();
  for (const double v : view.values) {
    if (v < before) {
      if (!Differs(before, v)) continue;
      *result += 1;
    }
    before = v;
  }
  return true;
}

bool Changes(const View& view, double* result) {
  *result = 0;
  if (view.values.empty()) return view.has_before;
  // The first sample of a series is a change by itself.
  if (!view.has_before) *result = 1;
  double before = view.has_before ? view.before : view.values.front();
  for (const double v : view.values) {
    if (v == before || !Differs(before, v)) continue;
    *result += 1;
    before = v;
  }
  return true;
}

bool PrometheusDelta(const View& view, double* result) {
  if (view.values.size() < 2) return false;
  *result = view.values.back() - view.values.front();
  return true;
}

bool PrometheusChanges(View view, double* result) {
  if (view.values.empty()) return false;
  view.has_before = true;
  view.before = view.values.front();
  return Changes(view, result);
}

bool Apply(VictoriaFunction function, const View& view, double window_seconds, double* result) {
  switch (function) {
    case VictoriaFunction::kPrometheusRate:
      if (!PrometheusDelta(view, result)) return false;
      *result /= window_seconds;
      return true;
    case VictoriaFunction::kPrometheusIncrease:
    case VictoriaFunction::kPrometheusDelta:
      return PrometheusDelta(view, result);
    case VictoriaFunction::kPrometheusChanges:
      return PrometheusChanges(view, result);
    case VictoriaFunction::kRate:
      return Rate(view, result);
    case VictoriaFunction::kIncrease:
    case VictoriaFunction::kDelta:
      return Delta(view, result);
    case VictoriaFunction::kIrate:
      return InstantRate(view, result);
    case VictoriaFunction::kIdelta:
      return InstantDelta(view, result);
    case VictoriaFunction::kResets:
      return Resets(view, result);
    case VictoriaFunction::kChanges:
      return Changes(view, result);
  }
  return false;
}

bool IsCounterFunction(VictoriaFunction function) {
  return function == VictoriaFunction::kRate || function == VictoriaFunction::kIncrease ||
         function == VictoriaFunction::kIrate || function == VictoriaFunction::kPrometheusRate ||
         function == VictoriaFunction::kPrometheusIncrease;
}

}  // namespace

void RemoveCounterResets(std::span<double> values) {
  double correction = 0;
  double before = values.empty() ? 0.0 : values.front();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = values[i];
    const double change = v - before;
    if (change < 0) correction += -change * 8 < before ? before - v : before;
    before = v;
    values[i] = v + correction;
    // Rounding of the correction must not look like another reset.
    if (i > 0 && values[i] < values[i - 1]) values[i] = values[i - 1];
  }
}

std::int64_t MaxGapBefore(std::span<const TimeMs> times, std::int64_t fallback) {
  std::int64_t interval = 0;
  if (times.size() >= 2) {
    std::vector<double> gaps;
    for (std::size_t i = 1; i < times.size() && gaps.size() < kGapsLookedAt; ++i) {
      gaps.push_back(static_cast<double>(times[i] - times[i - 1]));
    }
    interval = static_cast<std::int64_t>(QuantileOfValues(0.6, gaps));
  }
  if (interval <= 0) interval = fallback;
  // Short intervals jitter more.
  if (interval <= 2'000) return interval + 4 * interval;
  if (interval <= 4'000) return interval + 2 * interval;
  if (interval <= 8'000) return interval + interval;
  if (interval <= 16'000) return interval + interval / 2;
  if (interval <= 32'000) return interval + interval / 4;
  return interval + interval / 8;
}

void VictoriaRollupOverSteps(const VictoriaRollup& rollup, std::span<const TimeMs> times,
                             std::span<const double> values, std::span<const TimeMs> ends,
                             std::span<double> results) {
  if (ends.empty()) return;
  const bool instant = rollup.step_ms == 0;
  const std::int64_t step = instant ? kDefaultStep : rollup.step_ms;
  const TimeMs read_from = ends.front() - std::max(rollup.window_ms, step) - kReadBefore;
  std::vector<TimeMs> read_times;
  std::vector<double> read_values;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] < read_from || times[i] > ends.back() || std::isnan(values[i])) continue;
    read_times.push_back(times[i]);
    read_values.push_back(values[i]);
  }
  if (IsCounterFunction(rollup.function)) RemoveCounterResets(read_values);

  std::int64_t gap = instant ? step : MaxGapBefore(read_times, step);
  if (rollup.lookback_ms > 0) gap = std::min(gap, rollup.lookback_ms);
  std::size_t first = 0;
  std::size_t end = 0;
  for (std::size_t s = 0; s < ends.size(); ++s) {
    const TimeMs start = ends[s] - rollup.window_ms;
    while (first < read_times.size() && read_times[first] <= start) ++first;
    end = std::max(end, first);
    while (end < read_times.size() && read_times[end] <= ends[s]) ++end;
    View view;
    view.times = std::span(read_times).subspan(first, end - first);
    view.values = std::span(read_values).subspan(first, end - first);
    view.has_any_before = first > 0;
    if (first > 0) {
      view.any_before = read_values[first - 1];
      // The server asks for a sample at or after the window's start before it looks back.
      if (first < read_times.size() && read_times[first - 1] > start - gap) {
        view.has_before = true;
        view.before = view.any_before;
        view.before_time = read_times[first - 1];
      }
    }
    view.has_next = end < read_values.size();
    if (view.has_next) view.next = read_values[end];
    double result = 0;
    if (Apply(rollup.function, view, MsToSeconds(rollup.window_ms), &result)) results[s] = result;
  }
}

}  // namespace schedlens
