#include "analysis/causes/slowness.h"

#include <algorithm>
#include <cmath>

#include "stats/significance.h"

namespace schedlens {
namespace {

/// Nobody is paged for attempts this quick, whatever they were before.
constexpr double kNeverSlow = 0.1;

bool HasNoBuckets(const ResultTail& tail) { return tail.p99_low <= 0 && std::isinf(tail.p99_high); }

/// Nothing for a bound that the buckets do not have.
std::optional<Fraction> Above(const PooledBuckets& buckets, double bound) {
  const auto it = std::find(buckets.bounds.begin(), buckets.bounds.end(), bound);
  if (it == buckets.bounds.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(it - buckets.bounds.begin());
  return Fraction{buckets.count() - buckets.cumulative[at], buckets.count()};
}

/// Without buckets there is only the mean, which hides a tail: it has to be slow itself.
bool IsSlowOnAverage(const ResultTail& tail, const std::optional<ResultTail>& before,
                     std::optional<double> threshold) {
  if (!(tail.mean >= kNeverSlow) || tail.count < kLeastAttempts) return false;
  if (threshold && tail.mean >= *threshold) return true;
  return before ? tail.mean >= 2 * before->mean : tail.mean >= kPlainlySlow;
}

bool IsSlow(const ResultTail& tail, const std::optional<Measurement>& baseline,
            std::optional<double> threshold) {
  const auto before = baseline ? baseline->Tail(tail.result) : std::nullopt;
  if (HasNoBuckets(tail)) return IsSlowOnAverage(tail, before, threshold);
  if (tail.p99_low < kNeverSlow) return false;
  if (threshold && tail.p99_low >= *threshold && tail.count >= kLeastAttempts) return true;
  if (!before) return tail.p99_low >= kPlainlySlow && tail.count >= kLeastAttempts;
  const TailTest test = TestTail(tail, *before);
  return test.p_value <= kSignificant && test.growth >= kLeastGrowth;
}

/// Nothing where the window has enough attempts, or nobody knows.
std::optional<double> AttemptsNeeded(const ResultTail& now, const ResultTail& before) {
  if (HasNoBuckets(before) || std::isinf(before.p99_high)) return std::nullopt;
  const double needed = TrialsToSeeDoubling(*Above(before.buckets, before.p99_high), kSignificant);
  if (needed <= now.count) return std::nullopt;
  return needed;
}

}  // namespace

double SmallestPValue(const PooledBuckets& now, const PooledBuckets& before, double least) {
  double smallest = 1, tried = 0;
  std::optional<Fraction> last_now, last_before;
  for (const double bound : now.bounds) {
    if (bound < least || std::isinf(bound)) continue;
    const auto above = Above(now, bound), above_before = Above(before, bound);
    if (!above || !above_before) continue;
    // Empty buckets between two bounds make the same test twice.
    if (above == last_now && above_before == last_before) continue;
    last_now = above;
    last_before = above_before;
    ++tried;
    smallest = std::min(smallest, FisherAtLeast(*above, *above_before));
  }
  return tried > 0 ? std::min(1.0, smallest * tried) : 1;
}

bool IsStageSlower(const Measurement& now, const std::optional<Measurement>& baseline,
                   kube::Stage stage) {
  const auto before =
      baseline ? baseline->Tail(ToString(kube::AttemptResult::kScheduled)) : std::nullopt;
  if (!before) return false;
  const auto own = [stage](const WindowIncreases& cells) {
    const auto point = RowOf(stage).point;
    if (point) return PoolBuckets(SelectPoint(cells.extension_point, *point));
    if (stage == kube::Stage::kPermitWait) return PoolBuckets(Select(cells.permit_wait, "", ""));
    if (stage == kube::Stage::kBindUnmeasured) return PoolBuckets(cells.binding);
    return PooledBuckets{};
  };
  return SmallestPValue(own(now.cells), own(baseline->cells), before->p99_low) <= kSignificant;
}

TailTest TestTail(const ResultTail& now, const ResultTail& before) {
  TailTest test;
  if (HasNoBuckets(now) || HasNoBuckets(before)) return test;
  test.p_value = SmallestPValue(now.buckets, before.buckets, kNeverSlow);
  const double then = before.buckets.Interpolate(0.99);
  if (then > 0) test.growth = now.buckets.Interpolate(0.99) / then;
  // The open bucket hides how far the quantile went: there the mean may tell more.
  if (std::isinf(now.p99_high) && now.mean > test.growth * before.mean && before.mean > 0) {
    test.growth = now.mean / before.mean;
  }
  return test;
}

Speed CompareSpeed(const Measurement& now, const std::optional<Measurement>& baseline,
                   std::optional<double> threshold) {
  Speed speed;
  for (const ResultTail& tail : now.tails) {
    const auto before = baseline ? baseline->Tail(tail.result) : std::nullopt;
    if (IsSlow(tail, baseline, threshold)) {
      speed.slow = true;
      if (before) speed.growth = std::max(speed.growth, TestTail(tail, *before).growth);
    }
    if (!before || tail.result != ToString(kube::AttemptResult::kScheduled)) continue;
    speed.attempts_needed = AttemptsNeeded(tail, *before);
  }
  return speed;
}

}  // namespace schedlens
