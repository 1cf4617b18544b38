#include "analysis/causes/measurement.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/breakdown/queue.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;

std::optional<CpuUse> CpuOf(const Facts& facts, const TimeRange& window) {
  CpuUse use;
  bool any = false;
  const auto cpu = [](const Labels& labels) {
    return labels.Get(kMetricName) == kube::NameOf(kube::Metric::kProcessCpu);
  };
  for (const CounterIncrease& c : IncreasesOf(facts, "process", window, cpu)) {
    use.seconds += c.increase;
    any = true;
  }
  if (!any || std::isnan(use.seconds)) return std::nullopt;
  use.cores = use.seconds / std::max(1e-3, window.seconds());
  return use;
}

/// Execution seconds of dispatched binds; nothing where binds are not dispatched.
std::optional<double> DispatchedSeconds(const Facts& facts, const TimeRange& window) {
  std::optional<double> seconds;
  const auto bindings = [](const Labels& labels) {
    return labels.Get("call_type") == ToString(kube::CallType::kPodBinding) &&
           labels.Get(kMetricName).ends_with("_sum");
  };
  for (const CounterIncrease& call : IncreasesOf(facts, "async_api_call", window, bindings)) {
    seconds = seconds.value_or(0) + call.increase;
  }
  return seconds;
}

double PreemptionsIn(const Facts& facts, const TimeRange& window) {
  double attempts = 0;
  for (const CounterIncrease& p : IncreasesOf(facts, "preemption_attempts", window)) {
    attempts += p.increase;
  }
  return attempts;
}

/// The children of one population.
using Population = std::vector<const ScrapeIncreases*>;

/// An attempt is at least as slow as each of its parts: where attempts have no buckets of their own
/// the parts' tails stand for theirs.
std::map<std::string, Population> PartsOf(const WindowIncreases& cells) {
  std::map<std::string, Population> parts;
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
  std::map<std::string, Population> results;
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

}  // namespace

std::optional<ResultTail> Measurement::Tail(std::string_view result) const {
  for (const ResultTail& tail : tails) {
    if (tail.result == result) return tail;
  }
  return std::nullopt;
}

bool PlainlySlow(const Measurement& m, double least) {
  return std::any_of(m.tails.begin(), m.tails.end(), [&](const ResultTail& tail) {
    return tail.p99_low >= kPlainlySlow && tail.count >= least;
  });
}

Measurement Measure(const Facts& facts, const Histograms& histograms, const TimeRange& window) {
  Measurement m;
  m.cells = CutWindow(histograms, facts.targets, window);
  m.breakdown = BreakDownTime(m.cells);
  m.cpu = CpuOf(facts, window);
  m.tails = TailsOf(m.cells);
  m.preemption_attempts = PreemptionsIn(facts, window);
  m.pending_active = MeanPending(facts, kube::QueueName::kActive, window);
  m.dispatched_bind_seconds = DispatchedSeconds(facts, window);
  return m;
}

}  // namespace schedlens
