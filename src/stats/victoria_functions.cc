#include "stats/victoria_functions.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/text.h"
#include "stats/over_time.h"

namespace schedlens {
namespace {

constexpr std::int64_t kDefaultStep = 5 * 60 * 1000;
// The server reads this much more than the window, to find the sample before it.
constexpr std::int64_t kReadBefore = 5 * 60 * 1000;
constexpr std::size_t kGapsLookedAt = 20;
constexpr double kPrecision = 1e-12;

struct Seen {
  TimeMs time = 0;
  double value = 0;
};

/// What one step sees.
struct View {
  std::span<const TimeMs> times;
  std::span<const double> values;
  std::optional<Seen> before;        // a sample within the longest gap before the window
  std::optional<double> any_before;  // a sample before the window, however old
  std::optional<double> next;
};

using Result = std::optional<double>;

/// Nothing in the window: taken as unchanged where something came before.
Result Unchanged(const View& view) { return view.before ? Result(0) : std::nullopt; }

Result Rate(const View& view) {
  if (!view.before && view.values.size() < 2) return std::nullopt;
  if (view.values.empty()) return 0;
  const Seen first = view.before.value_or(Seen{view.times.front(), view.values.front()});
  return (view.values.back() - first.value) / MsToSeconds(view.times.back() - first.time);
}

/// A series that begins in the window started at zero if its first value is small against its
/// first step.
double StartOf(const View& view) {
  const double first = view.values.front();
  double step = 0;
  if (view.values.size() > 1) {
    step = view.values[1] - first;
  } else if (view.next) {
    step = *view.next - first;
  }
  return std::fabs(first) < 10 * (std::fabs(step) + 1) ? 0.0 : first;
}

Result Delta(const View& view) {
  if (view.values.empty()) return Unchanged(view);
  if (view.any_before) return view.values.back() - *view.any_before;
  return view.values.back() - StartOf(view);
}

/// The sample before the last one.
std::optional<Seen> BeforeLast(const View& view) {
  const std::size_t size = view.values.size();
  return size > 1 ? Seen{view.times[size - 2], view.values[size - 2]} : view.before;
}

Result InstantDelta(const View& view) {
  if (view.values.empty()) return Unchanged(view);
  const auto before = BeforeLast(view);
  return before ? view.values.back() - before->value : view.values.back();
}

Result InstantRate(const View& view) {
  const auto before = BeforeLast(view);
  if (view.values.empty() || !before) return std::nullopt;
  return (view.values.back() - before->value) / MsToSeconds(view.times.back() - before->time);
}

/// A difference in the last digits does not count.
bool Differs(double a, double b) { return std::fabs(b - a) >= kPrecision * std::fabs(b); }

Result Resets(const View& view) {
  if (view.values.empty()) return Unchanged(view);
  double number = 0;
  double before = view.before ? view.before->value : view.values.front();
  for (const double v : view.values) {
    if (v < before) {
      if (!Differs(before, v)) continue;
      number += 1;
    }
    before = v;
  }
  return number;
}

Result Changes(const View& view, std::optional<double> start) {
  // The first sample of a series is a change by itself.
  double number = start ? 0 : 1;
  double before = start.value_or(view.values.front());
  for (const double v : view.values) {
    if (v == before || !Differs(before, v)) continue;
    number += 1;
    before = v;
  }
  return number;
}

Result Apply(VictoriaFunction function, const View& view, double window_seconds) {
  using enum VictoriaFunction;
  switch (function) {
    case kPrometheusRate:
    case kPrometheusIncrease:
    case kPrometheusDelta: {
      if (view.values.size() < 2) return std::nullopt;
      const double change = view.values.back() - view.values.front();
      return function == kPrometheusRate ? change / window_seconds : change;
    }
    case kPrometheusChanges:
      if (view.values.empty()) return std::nullopt;
      return Changes(view, view.values.front());
    case kRate:
      return Rate(view);
    case kIncrease:
    case kDelta:
      return Delta(view);
    case kIrate:
      return InstantRate(view);
    case kIdelta:
      return InstantDelta(view);
    case kResets:
      return Resets(view);
    case kChanges:
      if (view.values.empty()) return Unchanged(view);
      return Changes(view, view.before ? Result(view.before->value) : std::nullopt);
  }
  return std::nullopt;
}

bool IsCounterFunction(VictoriaFunction function) {
  using enum VictoriaFunction;
  return function == kRate || function == kIncrease || function == kIrate ||
         function == kPrometheusRate || function == kPrometheusIncrease;
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

  const std::int64_t gap = instant ? step : MaxGapBefore(read_times, step);
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
    if (first > 0) {
      view.any_before = read_values[first - 1];
      // The server asks for a sample at or after the window's start before it looks back.
      if (first < read_times.size() && read_times[first - 1] > start - gap) {
        view.before = Seen{read_times[first - 1], read_values[first - 1]};
      }
    }
    if (end < read_values.size()) view.next = read_values[end];
    const Result result = Apply(rollup.function, view, MsToSeconds(rollup.window_ms));
    if (result) results[s] = *result;
  }
}

}  // namespace schedlens
