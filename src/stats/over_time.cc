#include "stats/over_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/summation.h"

namespace schedlens {
namespace {

// Compensated sums came to these functions before they came to sum() and avg().
bool Compensates(const Semantics& semantics) { return semantics.AtLeast(2, 32); }
bool ZeroesAtInfinity(const Semantics& semantics) { return semantics.AtLeast(2, 54); }

/// Up to 2.54: mean += v/n - mean/n, with or without compensation.
double IncrementalMean(std::span<const double> values, bool compensates) {
  CompensatedSum mean;
  double count = 0;
  for (const double v : values) {
    ++count;
    if (std::isinf(mean.value)) {
      if (std::isinf(v) && (mean.value > 0) == (v > 0)) continue;
      if (!std::isinf(v) && !std::isnan(v)) continue;
    }
    const double step = v / count - mean.value / count;
    if (compensates) {
      mean.Add(step, false);
    } else {
      mean.value += step;
    }
  }
  if (std::isinf(mean.value)) return mean.value;
  return mean.value + mean.compensation;
}

}  // namespace

double SumOverTime(std::span<const double> values, const Semantics& semantics) {
  CompensatedSum sum;
  for (const double v : values) {
    if (Compensates(semantics)) {
      sum.Add(v, ZeroesAtInfinity(semantics));
    } else {
      sum.value += v;
    }
  }
  if (std::isinf(sum.value)) return sum.value;
  return sum.value + sum.compensation;
}

double AvgOverTime(std::span<const double> values, const Semantics& semantics) {
  if (semantics.IsVictoriaMetrics()) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
  }
  if (!semantics.AtLeast(2, 55)) return IncrementalMean(values, Compensates(semantics));
  GroupMean mean(semantics);
  mean.Start(values[0]);
  for (const double v : values.subspan(1)) mean.Add(v);
  return mean.Result();
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
  CompensatedSum mean;
  CompensatedSum squares;
  double count = 0;
  const auto add = [&](CompensatedSum* sum, double x) {
    if (Compensates(semantics)) {
      sum->Add(x, ZeroesAtInfinity(semantics));
    } else {
      sum->value += x;
    }
  };
  for (const double v : values) {
    ++count;
    const double delta = v - (mean.value + mean.compensation);
    add(&mean, delta / count);
    add(&squares, delta * (v - (mean.value + mean.compensation)));
  }
  return (squares.value + squares.compensation) / count;
}

double MedianDeviation(std::span<const double> values, const Semantics& semantics) {
  if (semantics.AtLeast(3, 14) &&
      std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double median = QuantileOfValues(0.5, values);
  std::vector<double> distances;
  for (const double v : values) distances.push_back(std::fabs(v - median));
  return QuantileOfValues(0.5, distances);
}

double QuantileOfValues(double q, std::span<const double> values) {
  if (values.empty() || std::isnan(q)) return std::numeric_limits<double>::quiet_NaN();
  if (q < 0) return -std::numeric_limits<double>::infinity();
  if (q > 1) return std::numeric_limits<double>::infinity();
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

}  // namespace schedlens
