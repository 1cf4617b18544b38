#include "stats/range_functions.h"

// The order of the floating point operations is the specification: do not simplify it.

#include <algorithm>
#include <numeric>

#include "base/not_finite.h"
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
  double y1 = window.values[i], y2 = window.values[i + 1];
  const bool fell = counter && y2 < y1;
  if (fell && above) y2 += y1;
  if (fell && !above) y1 = 0;
  return y1 + (y2 - y1) * static_cast<double>(t - window.times[i]) /
                  static_cast<double>(window.times[i + 1] - window.times[i]);
}

/// Drops on the way left edge, samples [first, end), right edge.
double Corrections(const SampleWindow& window, double left, double right, std::size_t first,
                   std::size_t end) {
  double correction = 0, before = left;
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

/// Adds over time: compensated from 2.32 on, before that (and in VictoriaMetrics) plainly.
class WindowAdder {
 public:
  explicit WindowAdder(const Semantics& semantics)
      : compensates_(semantics.AtLeast(2, 32)), zeroes_(semantics.AtLeast(2, 54)) {}

  bool compensates() const { return compensates_; }
  void operator()(CompensatedSum* sum, double x) const {
    if (compensates_) {
      sum->Add(x, zeroes_);
    } else {
      sum->value += x;
    }
  }

 private:
  bool compensates_, zeroes_;
};

/// An infinite mean stays: adding a finite value, or the same infinity, would make it NaN.
bool Absorbed(double mean, double x) {
  if (!std::isinf(mean)) return false;
  return std::isinf(x) ? (mean > 0) == (x > 0) : !std::isnan(x);
}

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
  const double second = view.values.size() > 1 ? view.values[1] : view.next.value_or(first);
  const double step = second - first;
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
  const std::size_t size = view.values.size();
  if (function == kRate) return Rate(view);
  if (function == kIncrease || function == kDelta) return Delta(view);
  if (function == kIrate) return InstantRate(view);
  if (function == kIdelta) return InstantDelta(view);
  if (function == kResets) return Resets(view);
  if (function == kChanges && size == 0) return Unchanged(view);
  if (function == kChanges) {
    return Changes(view, view.before ? Result(view.before->value) : std::nullopt);
  }
  if (function == kPrometheusChanges) {
    return size == 0 ? std::nullopt : Changes(view, view.values.front());
  }
  if (size < 2) return std::nullopt;
  const double change = view.values.back() - view.values.front();
  return function == kPrometheusRate ? change / window_seconds : change;
}

}  // namespace

double DurationSeconds(std::int64_t ms) {
  const auto whole = static_cast<double>(ms / 1000);
  const auto nanoseconds = static_cast<double>(ms % 1000 * 1'000'000);
  return whole + nanoseconds / 1e9;
}

double ExtrapolatedSpan(const SampleTimes& times, const Semantics& semantics,
                        const double* first_of_increase) {
  double to_start = MsToSeconds(times.first - times.start);
  double to_end = MsToSeconds(times.end - times.last);
  const double sampled = MsToSeconds(times.last - times.first);
  const double average = sampled / static_cast<double>(times.size - 1);
  const double threshold = average * 1.1;

  // Counters start at zero: the straight line back to zero limits the extrapolation.
  const bool clip = first_of_increase != nullptr;
  const double to_zero = clip ? sampled * *first_of_increase : 0.0;
  if (semantics.AtLeast(2, 51)) {
    if (to_start >= threshold) to_start = average / 2;
    if (clip && to_zero < to_start) to_start = to_zero;
  } else {
    if (clip && to_zero < to_start) to_start = to_zero;
    if (!(to_start < threshold)) to_start = average / 2;
  }
  if (!(to_end < threshold)) to_end = average / 2;

  return sampled + to_start + to_end;
}

std::optional<double> ExtrapolatedRate(const SampleWindow& window, RateKind kind,
                                       const Semantics& semantics, double range_seconds) {
  const std::size_t size = window.size();
  if (size < 2) return std::nullopt;
  const bool apart = !semantics.AtLeast(2, 40);  // corrections, and the division by the range
  const bool counter = kind != RateKind::kDelta;
  const double increase = Increase(window, counter, apart);
  const bool clip = counter && increase > 0 && window.values.front() >= 0;
  const double first_of_increase = clip ? window.values.front() / increase : 0.0;
  const SampleTimes times{window.times.front(), window.times.back(), window.start, window.end,
                          size};
  const double span = ExtrapolatedSpan(times, semantics, clip ? &first_of_increase : nullptr);
  const double factor = span / MsToSeconds(times.last - times.first);
  if (kind != RateKind::kRate) return increase * factor;
  return apart ? increase * factor / range_seconds : increase * (factor / range_seconds);
}

std::optional<double> ExtendedRate(const SampleWindow& window, RateKind kind, double range_seconds,
                                   bool smoothed, const Semantics& semantics) {
  if (window.size() == 0) return std::nullopt;
  const std::span<const TimeMs> times = window.times;
  // Up to 3.11 data that lies beyond the window only gave zero.
  if (smoothed && semantics.AtLeast(3, 12) && times.front() > window.end) return std::nullopt;
  const bool counter = kind != RateKind::kDelta;
  std::size_t last = window.size() - 1, first = SampleAtOrBefore(times, window.start);
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
  const double last = window.values[size - 1], before = window.values[size - 2];
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

void GroupMean::Start(double x) {
  count_ = 1;
  incremental_ = false;
  mean_ = x;
  sum_ = {x, 0};
}

void GroupMean::Add(double x) {
  ++count_;
  if (!compensated_) {
    // Both sides are divided first, so that the difference cannot overflow.
    if (!Absorbed(mean_, x)) mean_ += x / count_ - mean_ / count_;
    return;
  }
  if (!incremental_) {
    CompensatedSum next = sum_;
    next.Add(x, true);
    if (!std::isinf(next.value)) {
      sum_ = next;
      return;
    }
    incremental_ = true;
    mean_ = sum_.value / (count_ - 1);
    sum_.compensation /= count_ - 1;
  }
  CompensatedSum mean{mean_, sum_.compensation};
  if (split_division_) {
    const double share = (count_ - 1) / count_;
    mean = {share * mean_, share * sum_.compensation};
    mean.Add(x / count_, true);
  } else {
    if (Absorbed(mean_, x)) return;
    mean.Add(x / count_ - mean.Total() / count_, true);
  }
  mean_ = mean.value;
  sum_.compensation = mean.compensation;
}

double GroupMean::Result() const {
  if (!compensated_) return mean_;
  if (incremental_) return mean_ + sum_.compensation;
  if (split_division_) return sum_.value / count_ + sum_.compensation / count_;
  return sum_.Total() / count_;
}

double SumOverTime(std::span<const double> values, const Semantics& semantics) {
  const WindowAdder add(semantics);
  CompensatedSum sum;
  for (const double v : values) add(&sum, v);
  return std::isinf(sum.value) ? sum.value : sum.Total();
}

double AvgOverTime(std::span<const double> values, const Semantics& semantics) {
  if (semantics.IsVictoriaMetrics()) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
  }
  if (semantics.AtLeast(2, 55)) {
    GroupMean mean(semantics);
    mean.Start(values[0]);
    for (const double v : values.subspan(1)) mean.Add(v);
    return mean.Result();
  }
  const WindowAdder add(semantics);
  CompensatedSum mean;
  double count = 0;
  for (const double v : values) {
    ++count;
    if (!Absorbed(mean.value, v)) {
      const double step = v / count - mean.value / count;
      if (add.compensates()) {
        mean.Add(step, false);
      } else {
        mean.value += step;
      }
    }
  }
  return std::isinf(mean.value) ? mean.value : mean.Total();
}

double MinOverTime(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), values[0], [](double least, double v) {
    return v < least || std::isnan(least) ? v : least;
  });
}

double MaxOverTime(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), values[0], [](double most, double v) {
    return v > most || std::isnan(most) ? v : most;
  });
}

double VarianceOverTime(std::span<const double> values, const Semantics& semantics) {
  const WindowAdder add(semantics);
  CompensatedSum mean, squares;
  double count = 0;
  for (const double v : values) {
    ++count;
    const double delta = v - mean.Total();
    add(&mean, delta / count);
    add(&squares, delta * (v - mean.Total()));
  }
  return squares.Total() / count;
}

double MedianDeviation(std::span<const double> values, const Semantics& semantics) {
  const bool some_nan = std::ranges::any_of(values, [](double v) { return std::isnan(v); });
  if (some_nan && semantics.AtLeast(3, 14)) return kNaN;
  const double median = QuantileOfValues(0.5, values);
  std::vector<double> distances;
  for (const double v : values) distances.push_back(std::fabs(v - median));
  return QuantileOfValues(0.5, distances);
}

double QuantileOfValues(double q, std::span<const double> values) {
  if (values.empty() || std::isnan(q)) return kNaN;
  if (q < 0) return -kInfinity;
  if (q > 1) return kInfinity;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted, [](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
    return a < b;
  });
  const auto n = static_cast<double>(sorted.size());
  const double rank = q * (n - 1), lower = std::max(0.0, std::floor(rank));
  const double upper = std::min(n - 1, lower + 1), weight = rank - std::floor(rank);
  return sorted[static_cast<std::size_t>(lower)] * (1 - weight) +
         sorted[static_cast<std::size_t>(upper)] * weight;
}

RegressionLine LinearRegression(std::span<const TimeMs> times, std::span<const double> values,
                                TimeMs at, const Semantics& semantics) {
  const bool victoria = semantics.IsVictoriaMetrics();
  const WindowAdder add(semantics);
  const bool constant = std::ranges::all_of(values, [&](double v) { return v == values[0]; });
  if (constant && (victoria || add.compensates())) {
    if (!victoria && std::isinf(values[0])) return {kNaN, kNaN};
    return {0, values[0]};
  }
  CompensatedSum sum_x, sum_y, sum_xy, sum_xx;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = MsToSeconds(times[i] - at);
    add(&sum_x, x);
    add(&sum_y, values[i]);
    add(&sum_xy, x * values[i]);
    add(&sum_xx, x * x);
  }
  const auto n = static_cast<double>(values.size());
  const double x = sum_x.Total(), y = sum_y.Total();
  const double covariance = sum_xy.Total() - x * y / n, variance = sum_xx.Total() - x * x / n;
  constexpr double kLeastSpread = 1e-6;  // VictoriaMetrics'
  RegressionLine line;
  if (!victoria || std::fabs(variance) >= kLeastSpread) line.slope = covariance / variance;
  line.intercept = y / n - line.slope * x / n;
  return line;
}

double DoubleExponentialSmoothing(std::span<const double> values, double smoothing, double trend) {
  double before = 0, level = values[0];
  double slope = values[1] - values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double x = smoothing * values[i];
    // The first difference is the first trend.
    if (i > 1) slope = trend * (level - before) + (1 - trend) * slope;
    const double y = (1 - smoothing) * (level + slope);
    before = level;
    level = x + y;
  }
  return level;
}

void RemoveCounterResets(std::span<double> values) {
  double correction = 0;
  double before = values.empty() ? 0.0 : values.front();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = values[i], change = v - before;
    if (change < 0) correction += -change * 8 < before ? before - v : before;
    before = v;
    values[i] = v + correction;
    // Rounding of the correction must not look like another reset.
    if (i > 0 && values[i] < values[i - 1]) values[i] = values[i - 1];
  }
}

std::int64_t MaxGapBefore(std::span<const TimeMs> times, std::int64_t fallback) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < times.size() && gaps.size() < kGapsLookedAt; ++i) {
    gaps.push_back(static_cast<double>(times[i] - times[i - 1]));
  }
  const auto usual =
      gaps.empty() ? std::int64_t{0} : static_cast<std::int64_t>(QuantileOfValues(0.6, gaps));
  const std::int64_t interval = usual > 0 ? usual : fallback;
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
  using enum VictoriaFunction;
  const VictoriaFunction function = rollup.function;
  if (function == kRate || function == kIncrease || function == kIrate ||
      function == kPrometheusRate || function == kPrometheusIncrease) {
    RemoveCounterResets(read_values);
  }

  const std::int64_t gap = instant ? step : MaxGapBefore(read_times, step);
  std::size_t first = 0, end = 0;
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
    const Result result = Apply(function, view, MsToSeconds(rollup.window_ms));
    if (result) results[s] = *result;
  }
}

}  // namespace schedlens
