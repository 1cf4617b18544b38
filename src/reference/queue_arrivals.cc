#include "reference/queue_arrivals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/collect/histogram_store.h"
#include "kube/words.h"

namespace schedlens {
namespace {

/// A pod that fails again and again is patched once, and its event twice.
constexpr double kPatchesAPod = 3;
/// A backlog is this many pods, and the pods of this many seconds.
constexpr double kLeastQueued = 20, kLeastSeconds = 1;

bool IsNewPod(const Labels& labels) {
  if (labels.Get("queue") != ToString(kube::QueueName::kActive)) return false;
  const std::string_view event = labels.Get("event");
  // 1.32 and later: by resource and action.
  return event == ToString(kube::PodEvent::kPodAdd) || event == "UnschedulablePodAdd" ||
         event == "UnscheduledPodAdd";
}

/// The only target that made attempts.
std::optional<std::size_t> OnlyWorker(const Measurement& window) {
  std::map<std::size_t, double> attempts;
  for (const ScrapeIncreases& child : window.cells.attempt) {
    attempts[child.target] += TotalCount(child);
  }
  std::erase_if(attempts, [](const auto& target) { return !(target.second > 0); });
  if (attempts.size() != 1) return std::nullopt;
  return attempts.begin()->first;
}

/// Pods that waited for the loop: the most at any scrape, and how many more at the end than at the
/// start.
struct Pending {
  double most = 0, growth = 0;
};
Pending PendingIn(const Facts& facts, const TargetIndex& index, std::size_t target,
                  const TimeRange& window) {
  Pending out;
  for (const Series& series : facts.Of("pending_pods")) {
    if (series.labels.Get("queue") != ToString(kube::QueueName::kActive)) continue;
    if (index.Find(series.labels) != target) continue;
    std::optional<double> first;
    for (const Sample& sample : series.samples) {
      if (sample.t < window.start || sample.t > window.end) continue;
      out.most = std::max(out.most, sample.v);
      out.growth = sample.v - first.value_or(sample.v);
      if (!first) first = sample.v;
    }
  }
  return out;
}

void AddIncreases(const Series& series, TimeMs window_start, sim::Nanos at, sim::Nanos length,
                  std::vector<CountedArrivals>* out) {
  for (std::size_t i = 1; i < series.samples.size(); ++i) {
    const Sample& last = series.samples[i - 1];
    const Sample& next = series.samples[i];
    const double count = next.v >= last.v ? next.v - last.v : next.v;
    const sim::Nanos start = at + (last.t - window_start) * sim::kMillisecond;
    const sim::Nanos end = at + (next.t - window_start) * sim::kMillisecond;
    const sim::Nanos from = std::max(start, at), to = std::min(end, at + length);
    if (to <= from || !(count > 0)) continue;
    CountedArrivals arrivals{from, to};
    arrivals.count = count * static_cast<double>(to - from) / static_cast<double>(end - start);
    out->push_back(arrivals);
  }
}

}  // namespace

Incoming CountIncoming(const Facts& facts, const Measurement& window, TimeMs window_start,
                       sim::Nanos at, sim::Nanos length) {
  Incoming out;
  const auto worker = OnlyWorker(window);
  if (!worker) return out;
  const TargetIndex index(facts.targets);
  for (const Series& series : facts.Of("queue_incoming")) {
    if (!IsNewPod(series.labels)) continue;
    if (index.Find(series.labels) != *worker) continue;
    AddIncreases(series, window_start, at, length, &out.pods);
  }
  for (const CountedArrivals& arrivals : out.pods) out.count += arrivals.count;
  const TimeRange& range = window.breakdown.window;
  const Pending pending = PendingIn(facts, index, *worker, range);
  const double rate = window.breakdown.scheduled() / std::max(1.0, range.seconds());
  out.waited = pending.most >= kLeastQueued && pending.most >= kLeastSeconds * rate;
  out.waiting_more = pending.growth;
  return out;
}

Amount StatusPatches(const Facts& facts, const Measurement& window, const Incoming& incoming) {
  const auto patches = [](const Labels& labels) { return labels.Get("verb") == "PATCH"; };
  const TimeRange& range = window.breakdown.window;
  Amount out;
  for (const CounterIncrease& c : IncreasesOf(facts, "rest_request", range, patches)) {
    const bool count = c.labels.Get(kMetricName).ends_with("_count");
    (count ? out.count : out.seconds) += c.increase;
  }
  for (const CounterIncrease& c : IncreasesOf(facts, "rate_limiter", range, patches)) {
    if (c.labels.Get(kMetricName).ends_with("_sum")) out.seconds -= c.increase;
  }
  out.seconds = std::max(0.0, out.seconds);
  if (incoming.pods.empty() || out.count <= 0) return out;
  // Each new pod was bound, waits for the loop, or failed and was patched once; the other PATCHes
  // are events', about as quick as a bind.
  const double newly = std::clamp(
      incoming.count - window.breakdown.scheduled() - std::max(0.0, incoming.waiting_more),
      out.count / kPatchesAPod, out.count);
  const double event = std::min(out.mean(), window.breakdown.bind_ok.mean());
  return {newly, newly > 0 ? std::max(0.0, out.seconds - (out.count - newly) * event) : 0};
}

}  // namespace schedlens
