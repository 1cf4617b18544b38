#include "reference/queue_arrivals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/collect/histogram_store.h"
#include "kube/words.h"

namespace schedlens {
namespace {

/// A backlog is this many pods, and the pods of this many seconds.
constexpr double kLeastBacklog = 20, kLeastSeconds = 1;

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

/// The most pods that waited for the loop at any scrape.
double MostPending(const Facts& facts, std::size_t target, const TimeRange& window) {
  double most = 0;
  for (const Series& series : facts.Of("pending_pods")) {
    if (series.labels.Get("queue") != ToString(kube::QueueName::kActive)) continue;
    if (FindTarget(facts.targets, series.labels) != target) continue;
    for (const Sample& sample : series.samples) {
      if (sample.t >= window.start && sample.t <= window.end) most = std::max(most, sample.v);
    }
  }
  return most;
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

std::vector<CountedArrivals> CountIncoming(const Facts& facts, const Measurement& window,
                                           TimeMs window_start, sim::Nanos at, sim::Nanos length) {
  std::vector<CountedArrivals> out;
  const auto worker = OnlyWorker(window);
  if (!worker) return out;
  const TimeRange& range = window.breakdown.window;
  const double pending = MostPending(facts, *worker, range);
  const double rate = window.breakdown.scheduled() / std::max(1.0, range.seconds());
  if (pending < kLeastBacklog || pending < kLeastSeconds * rate) return out;
  for (const Series& series : facts.Of("queue_incoming")) {
    if (!IsNewPod(series.labels)) continue;
    if (FindTarget(facts.targets, series.labels) != *worker) continue;
    AddIncreases(series, window_start, at, length, &out);
  }
  return out;
}

Amount StatusPatches(const Facts& facts, const TimeRange& window) {
  const auto patches = [](const Labels& labels) { return labels.Get("verb") == "PATCH"; };
  Amount out;
  for (const CounterIncrease& c : IncreasesOf(facts, "rest_request", window, patches)) {
    const bool count = c.labels.Get(kMetricName).ends_with("_count");
    (count ? out.count : out.seconds) += c.increase;
  }
  for (const CounterIncrease& c : IncreasesOf(facts, "rate_limiter", window, patches)) {
    if (c.labels.Get(kMetricName).ends_with("_sum")) out.seconds -= c.increase;
  }
  out.seconds = std::max(0.0, out.seconds);
  return out;
}

}  // namespace schedlens
