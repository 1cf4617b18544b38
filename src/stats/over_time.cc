// The order of the floating point operations is the specification: do not simplify it.

#include "stats/over_time.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

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
  bool compensates_;
  bool zeroes_;
};

/// An infinite mean stays: adding a finite value, or the same infinity, would make it NaN.
bool Absorbed(double mean, double x) {
  if (!std::isinf(mean)) return false;
  return std::isinf(x) ? (mean > 0) == (x > 0) : !std::isnan(x);
}

bool IsConstant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
}

}  // namespace

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
  double least = values[0];
  for (const double v : values) {
    if (v < least || std::isnan(least)) least = v;
  }
  return least;
}

double MaxOverTime(std::span<const double> values) {
  double most = values[0];
  for (const double v : values) {
    if (v > most || std::isnan(most)) most = v;
  }
  return most;
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
  const bool some_nan =
      std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
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
  std::sort(sorted.begin(), sorted.end(), [](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
    return a < b;
  });
  const auto n = static_cast<double>(sorted.size());
  const double rank = q * (n - 1);
  const double lower = std::max(0.0, std::floor(rank));
  const double upper = std::min(n - 1, lower + 1);
  const double weight = rank - std::floor(rank);
  return sorted[static_cast<std::size_t>(lower)] * (1 - weight) +
         sorted[static_cast<std::size_t>(upper)] * weight;
}

RegressionLine LinearRegression(std::span<const TimeMs> times, std::span<const double> values,
                                TimeMs at, const Semantics& semantics) {
  const bool victoria = semantics.IsVictoriaMetrics();
  const WindowAdder add(semantics);
  if ((victoria || add.compensates()) && IsConstant(values)) {
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
  const double covariance = sum_xy.Total() - x * y / n;
  const double variance = sum_xx.Total() - x * x / n;
  constexpr double kLeastSpread = 1e-6;  // VictoriaMetrics'
  RegressionLine line;
  if (!victoria || std::fabs(variance) >= kLeastSpread) line.slope = covariance / variance;
  line.intercept = y / n - line.slope * x / n;
  return line;
}

double DoubleExponentialSmoothing(std::span<const double> values, double smoothing, double trend) {
  double before = 0;
  double level = values[0];
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

}  // namespace schedlens
