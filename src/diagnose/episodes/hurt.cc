#include "diagnose/episodes/hurt.h"

#include <cmath>
#include <numeric>

namespace schedlens {
namespace {

/// A tail is judged from this bound on, and from this many times the calm's p99.
constexpr double kLeastTail = 1, kTailTimes = 1.5;
/// Or from this one on, and this many times the calm's p99.
constexpr double kSoonTail = 0.5, kSoonTimes = 3;
constexpr double kLeastMedian = 0.128, kStandingMedian = 0.16;
constexpr double kLeastErrors = 0.01, kLeastUnschedulable = 0.1;
constexpr double kTimesCalm = 3;
constexpr double kFew = 20;

/// As histogram_quantile of these buckets; 0 without counts.
double QuantileOf(const std::vector<double>& bounds, const std::vector<double>& counts, double q) {
  PooledBuckets all{bounds, counts};
  std::partial_sum(counts.begin(), counts.end(), all.cumulative.begin());
  return all.count() > 0 ? all.Interpolate(q) : 0;
}

double ShareOfKind(const std::vector<double>& results, std::size_t kind) {
  return results.empty() ? 0 : results[kind] / std::max(1.0, SumOf(results));
}

/// As ColumnCounts::Waits.
const std::vector<double>& WaitsOf(const ColumnCounts& bounds, const StateCounts& counts) {
  return bounds.has_pods ? counts.pods : counts.attempts;
}

/// A bound above which at least `share` more than in the calm lie, clear of it.
std::optional<Hurt> TailOf(const std::vector<double>& bounds, const std::vector<double>& now,
                           const std::vector<double>& calm, double calm_p99, double share,
                           double dispersion) {
  constexpr double kLeastSlow = 3, kSureErrors = 3;
  const double n = SumOf(now), calm_n = SumOf(calm);
  if (n < kFew) return std::nullopt;
  double above = 0, calm_above = 0;
  for (std::size_t k = bounds.size(); k-- > 0;) {
    const double bound = bounds[k];
    if (std::isfinite(bound)) {
      const double times = bound >= kLeastTail ? kTailTimes : kSoonTimes;
      if (bound < kSoonTail || bound < times * calm_p99) return std::nullopt;
      const double part = above / n, always = calm_above / std::max(1.0, calm_n);
      const double error = std::sqrt(dispersion * part * (1 - part) / n);
      const double more = part - always;
      if (above >= kLeastSlow &&
          (more - error >= share || (more >= share && more - kSureErrors * error >= share / 2))) {
        return Hurt{HurtKind::kTail, bound, part};
      }
    }
    above += now[k];
    if (k < calm.size()) calm_above += calm[k];
  }
  return std::nullopt;
}

void AddFailures(const StateCounts& now, const CalmState& calm, std::vector<Hurt>* found) {
  if (now.results.empty()) return;
  const double n = std::max(1.0, SumOf(now.results));
  const auto add = [&](std::size_t kind, double least, double share, HurtKind hurt) {
    const double count = now.results[kind], part = count / n;
    if (count < std::max(least, share * n)) return;
    if (part < kTimesCalm * ShareOfKind(calm.counts.results, kind)) return;
    found->push_back({hurt, count, part});
  };
  add(2, 3, kLeastErrors, HurtKind::kErrors);
  add(1, 10, kLeastUnschedulable, HurtKind::kUnschedulable);
}

}  // namespace

double SumOf(const std::vector<double>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

StateCounts CountsIn(const ColumnCounts& counts, std::size_t first, std::size_t last) {
  return {counts.pods.Sum(first, last), counts.attempts.Sum(first, last),
          counts.results.Sum(first, last)};
}

double SlownessOf(const ColumnCounts& bounds, const StateCounts& counts) {
  constexpr double kLeast = 0.1;
  const std::vector<double>&waits = WaitsOf(bounds, counts), &edges = bounds.WaitBounds();
  double exceeded = 0, above = 0;
  for (std::size_t k = waits.size(); k-- > 0;) {
    if (edges[k] >= kLeast) exceeded += above;
    above += waits[k];
  }
  return exceeded / std::max(1.0, above) + ShareOfKind(counts.results, 2);
}

std::vector<Hurt> HurtOf(const ColumnCounts& bounds, const StateCounts& now, const CalmState& calm,
                         double share, double dispersion) {
  std::vector<Hurt> found;
  const auto of_attempts = [&](double least) {
    return TailOf(bounds.attempt_bounds, now.attempts, calm.counts.attempts, calm.attempts_p99,
                  least, dispersion);
  };
  auto tail = of_attempts(share);
  if (tail) tail->kind = HurtKind::kAttemptTail;
  if (bounds.has_pods) {
    const auto of_pods =
        TailOf(bounds.pod_bounds, now.pods, calm.counts.pods, calm.pods_p99, share, dispersion);
    if (of_pods) tail = of_pods;
  }
  if (tail) {
    // A slow attempt that holds the loop makes the next pods wait: of each slow pod half will do.
    tail->of_attempts = of_attempts(share / 2).has_value();
    found.push_back(*tail);
  }
  const std::vector<double>& waits = WaitsOf(bounds, now);
  const double median = QuantileOf(bounds.WaitBounds(), waits, 0.5);
  const double before = bounds.has_pods ? calm.pods_median : calm.attempts_median;
  if (SumOf(waits) >= kFew && median >= kLeastMedian && median >= kTimesCalm * before) {
    const double attempts_median = QuantileOf(bounds.attempt_bounds, now.attempts, 0.5);
    const bool slow = attempts_median > 0 && attempts_median >= kTimesCalm * calm.attempts_median;
    found.push_back(
        {bounds.has_pods ? HurtKind::kMedian : HurtKind::kAttemptMedian, median, 0.5, slow});
  }
  AddFailures(now, calm, &found);
  return found;
}

std::vector<Hurt> SlowAllTheTime(const ColumnCounts& bounds, const StateCounts& now, double share) {
  std::vector<Hurt> found;
  const bool has_pods = bounds.has_pods;
  const std::vector<double>&waits = WaitsOf(bounds, now), &edges = bounds.WaitBounds();
  const auto bound = std::lower_bound(edges.begin(), edges.end(), kLeastTail);
  const double n = SumOf(waits), median = QuantileOf(edges, waits, 0.5);
  if (n >= kFew && bound != edges.end()) {
    const double above =
        std::accumulate(waits.begin() + (bound - edges.begin()) + 1, waits.end(), 0.0);
    if (above >= share * n) {
      found.push_back(
          {has_pods ? HurtKind::kTail : HurtKind::kAttemptTail, *bound, above / n, !has_pods});
    }
  }
  if (n >= kFew && median >= kStandingMedian) {
    found.push_back(
        {has_pods ? HurtKind::kMedian : HurtKind::kAttemptMedian, median, 0.5, !has_pods});
  }
  AddFailures(now, {}, &found);
  return found;
}

CalmState StateOfCounts(const ColumnCounts& bounds, const StateCounts& counts) {
  CalmState state;
  state.counts = counts;
  state.pods_p99 = QuantileOf(bounds.pod_bounds, counts.pods, 0.99);
  state.pods_median = QuantileOf(bounds.pod_bounds, counts.pods, 0.5);
  state.attempts_p99 = QuantileOf(bounds.attempt_bounds, counts.attempts, 0.99);
  state.attempts_median = QuantileOf(bounds.attempt_bounds, counts.attempts, 0.5);
  state.slowness = SlownessOf(bounds, counts);
  return state;
}

}  // namespace schedlens
