#include "reference/chance.h"

#include <algorithm>
#include <cmath>

#include "reference/latency_shape.h"

namespace schedlens {
namespace {

/// Standard deviations of the arrivals' number and of the loop's mean cost.
constexpr double kChanceDeviations = 2;

/// The mean of the squares, as its buckets have it; above the top bound, as the sum leaves it.
double MeanSquare(const LatencyShape& shape) {
  double squares = 0, closed = 0, lower = 0;
  for (const auto& [bound, n] : shape.buckets) {
    squares += n * bound * std::max(lower, bound / 2);
    closed += n * (lower + bound) / 2;
    lower = bound;
  }
  if (shape.open > 0) {
    const double mean = std::max(lower, (shape.seconds - closed) / shape.open);
    squares += shape.open * mean * mean;
  }
  return shape.count > 0 ? squares / shape.count : 0;
}

/// Standard deviation of what an attempt takes from the loop, relative to its mean.
double SpreadOnLoop(const Measurement& now) {
  const LatencyShape algorithm = ShapeOf(now.cells.algorithm);
  const LatencyShape reserve =
      ShapeOf(SelectPoint(now.cells.extension_point, kube::ExtensionPoint::kReserve));
  const double mean = algorithm.mean() + reserve.mean();
  return mean > 0 ? std::sqrt(MeanSquare(algorithm) + MeanSquare(reserve)) / mean : 0;
}

/// Pods that fail are few and dear: so many of them more or fewer.
void MoreFailures(double deviations, Fitted* fitted) {
  double failed = 0;
  const double factor =
      fitted->scenario.segments.back().conditions.rate / std::max(1e-9, fitted->rates.back());
  for (const CountedArrivals& some : fitted->arrivals) {
    if (some.failing) failed += some.count * factor * fitted->failures.merged;
  }
  if (failed < 1) return;
  for (CountedArrivals& some : fitted->arrivals) {
    if (some.failing) some.count *= std::max(0.1, 1 + deviations / std::sqrt(failed));
  }
}

}  // namespace

Fitted ByChance(const WindowEvidence& c, const Fitted& fitted, double sign) {
  double pods = 1;
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    const bool inside = arrivals.start >= fitted.scenario.incident_start && !arrivals.failing;
    if (inside) pods += arrivals.count;
  }
  const double spread = SpreadOnLoop(c.now);
  Changed changed{fitted, fitted, false, {}};
  MoreFailures(sign * kChanceDeviations, &changed.likely);
  const double deviations = sign * kChanceDeviations / std::sqrt(pods);
  const double cost = std::max(0.1, 1 + deviations * spread);
  changed.Scale({sim::Cost::kPreFilter, sim::Cost::kFilter, sim::Cost::kPreScore, sim::Cost::kScore,
                 sim::Cost::kSnapshot, sim::Cost::kReserveWait},
                cost, 1);
  changed.likely.scenario.segments.back().conditions.rate *=
      std::max(0.1, 1 + deviations * std::sqrt(fitted.group));
  return changed.likely;
}

}  // namespace schedlens
