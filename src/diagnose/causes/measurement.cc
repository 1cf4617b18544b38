#include "diagnose/causes/measurement.h"

#include "kube/metrics.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;

std::optional<CpuUse> CpuOf(const Facts& facts, const TimeRange& window) {
  const auto cpu = [](const Labels& labels) {
    return labels.Get(kMetricName) == kube::NameOf(kube::Metric::kProcessCpu);
  };
  const auto seconds = TotalIncrease(facts, "process", window, cpu);
  if (!seconds || std::isnan(*seconds)) return std::nullopt;
  return CpuUse{*seconds, *seconds / std::max(1e-3, window.seconds())};
}

/// Execution seconds of dispatched binds; nothing where binds are not dispatched.
std::optional<double> DispatchedSeconds(const Facts& facts, const TimeRange& window) {
  const auto bindings = [](const Labels& labels) {
    return labels.Get("call_type") == ToString(kube::CallType::kPodBinding) &&
           labels.Get(kMetricName).ends_with("_sum");
  };
  return TotalIncrease(facts, "async_api_call", window, bindings);
}

/// An attempt is at least as slow as each of its parts: where attempts have no buckets of their own
/// the parts' tails stand for theirs.
std::map<std::string, Selected> PartsOf(const WindowIncreases& cells) {
  std::map<std::string, Selected> parts;
  for (const ScrapeIncreases& c : cells.algorithm)
    parts[std::string(ToString(kube::Stage::kAlgorithm))].push_back(&c);
  for (const ScrapeIncreases& c : cells.binding) parts["binding"].push_back(&c);
  for (const ScrapeIncreases& c : cells.extension_point) {
    const std::string_view point = c.labels.Get("extension_point");
    if (point == ToString(ExtensionPoint::kBind) || point == ToString(ExtensionPoint::kPreBind)) {
      parts[std::string(point)].push_back(&c);
    }
  }
  std::erase_if(parts, [](const auto& part) { return PoolBuckets(part.second).bounds.size() < 2; });
  return parts;
}

std::vector<ResultTail> TailsOf(const WindowIncreases& cells) {
  std::map<std::string, Selected> results;
  for (const ScrapeIncreases& c : cells.attempt) {
    results[std::string(ToString(kube::ResultOf(c.labels)))].push_back(&c);
  }
  if (!HasBuckets(cells.attempt)) results.merge(PartsOf(cells));
  std::vector<ResultTail> tails;
  for (const auto& [result, children] : results) {
    const Amount amount = Total(children);
    if (amount.count < 1) continue;
    PooledBuckets buckets = PoolBuckets(children);
    const std::size_t b = buckets.BucketOf(0.99);
    const double low = buckets.LowerEdge(b), high = buckets.bounds[b];
    tails.push_back({result, amount.count, amount.mean(), low, high, std::move(buckets)});
  }
  return tails;
}

/// Nobody is paged for attempts this quick, whatever they were before.
constexpr double kNeverSlow = 0.1;
/// A 99th percentile proven to be over this many seconds is slow, whatever it was before.
constexpr double kPlainlySlow = 0.5;

bool HasNoBuckets(const ResultTail& tail) { return tail.p99_low <= 0 && std::isinf(tail.p99_high); }

/// Nothing for a bound that the buckets do not have.
std::optional<Fraction> Above(const PooledBuckets& buckets, double bound) {
  const auto it = std::ranges::find(buckets.bounds, bound);
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

constexpr double kLeastSeconds = 0.1;
constexpr double kLeastRatio = 2;

std::map<std::string, Selected> ScheduledByProfile(const WindowIncreases& window) {
  std::map<std::string, Selected> profiles;
  for (const ScrapeIncreases* child :
       Select(window.attempt, "result", ToString(kube::AttemptResult::kScheduled))) {
    profiles[std::string(child->labels.Get("profile"))].push_back(child);
  }
  return profiles;
}

}  // namespace

std::optional<ResultTail> Measurement::Tail(std::string_view result) const {
  const auto tail = std::ranges::find(tails, result, &ResultTail::result);
  return tail == tails.end() ? std::nullopt : std::optional(*tail);
}

bool PlainlySlow(const Measurement& m) {
  return std::ranges::any_of(m.tails,
                             [](const ResultTail& tail) { return tail.p99_low >= kPlainlySlow; });
}

Measurement Measure(const Facts& facts, const Histograms& histograms, const TimeRange& window) {
  Measurement m;
  m.cells = CutWindow(histograms, facts.targets, window);
  m.breakdown = BreakDownTime(m.cells);
  m.cpu = CpuOf(facts, window);
  m.tails = TailsOf(m.cells);
  m.preemption_attempts = TotalIncrease(facts, "preemption_attempts", window).value_or(0);
  m.pending_active = MeanPending(facts, kube::QueueName::kActive, window);
  m.dispatched_bind_seconds = DispatchedSeconds(facts, window);
  return m;
}

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

double StagePValue(const Measurement& now, const std::optional<Measurement>& baseline,
                   kube::Stage stage, bool as_attempts) {
  const auto before =
      baseline ? baseline->Tail(ToString(kube::AttemptResult::kScheduled)) : std::nullopt;
  if (!before) return 1;
  const auto own = [stage](const WindowIncreases& cells) {
    const auto point = RowOf(stage).point;
    if (point) return PoolBuckets(SelectPoint(cells.extension_point, *point));
    if (stage == kube::Stage::kPermitWait) return PoolBuckets(Select(cells.permit_wait, "", ""));
    if (stage == kube::Stage::kBindUnmeasured) return PoolBuckets(cells.binding);
    return PooledBuckets{};
  };
  return SmallestPValue(own(now.cells), own(baseline->cells), as_attempts ? before->p99_low : 0);
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
    speed.slow |= IsSlow(tail, baseline, threshold);
    if (!before || tail.result != ToString(kube::AttemptResult::kScheduled)) continue;
    speed.attempts_needed = AttemptsNeeded(tail, *before);
  }
  return speed;
}

std::optional<SlowProfile> FindSlowProfile(const WindowIncreases& window) {
  const std::map<std::string, Selected> profiles = ScheduledByProfile(window);
  if (profiles.size() < 2) return std::nullopt;
  std::optional<SlowProfile> slowest;
  for (const auto& [name, children] : profiles) {
    Selected others;
    for (const auto& [other, theirs] : profiles) {
      if (other != name) others.insert(others.end(), theirs.begin(), theirs.end());
    }
    SlowProfile one{name, PoolBuckets(children), PoolBuckets(others)};
    if (one.own.count() < kLeastAttempts || one.rest.count() < kLeastAttempts) continue;
    const double p99 = one.own.Interpolate(0.99);
    if (p99 < kLeastSeconds || p99 < kLeastRatio * one.rest.Interpolate(0.99)) continue;
    const double tried = static_cast<double>(profiles.size());
    if (SmallestPValue(one.own, one.rest, kLeastSeconds) * tried > kSignificant) continue;
    if (!slowest || p99 > slowest->own.Interpolate(0.99)) slowest = std::move(one);
  }
  return slowest;
}

}  // namespace schedlens
