#include "analysis/neighbours/symptoms.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kube/metrics.h"
#include "model/text.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// Fewer observations have no mean to speak of.
constexpr double kLeastSymptom = 20;

double Grown(const Meter& meter, const TimeRange& window) { return meter.Increase(window).value; }

std::optional<double> MeanOf(const NeighbourFacts& facts, std::string_view question,
                             const std::string& sum, const std::string& count,
                             const TimeRange& window) {
  const double n = Grown(MeterOf(facts, question, count), window);
  if (n < kLeastSymptom) return std::nullopt;
  return Grown(MeterOf(facts, question, sum), window) / n;
}

std::optional<double> MeanOf(const NeighbourFacts& facts, std::string_view question, Neighbour of,
                             const TimeRange& window) {
  return MeanOf(facts, question, SumOf(of), CountOf(of), window);
}

/// Observations of all members up to each bound.
std::map<double, double> FsyncsBelow(const NeighbourFacts& facts, const TimeRange& window) {
  std::map<double, Meter> meters;
  for (const Series& series : facts.Of("etcd")) {
    if (series.labels.Get("__name__") != BucketOf(Neighbour::kEtcdDiskWalFsyncDuration)) continue;
    const auto bound = ParseNumber(series.labels.Get("le"));
    if (bound) meters.try_emplace(*bound, facts).first->second.Add(series);
  }
  std::map<double, double> below;
  for (const auto& [bound, meter] : meters) below[bound] = Grown(meter, window);
  return below;
}

std::optional<double> FsyncWait(const NeighbourFacts& facts, const TimeRange& window) {
  const std::map<double, double> below = FsyncsBelow(facts, window);
  double n = 0, sum = 0, squares = 0, lower = 0, before = 0;
  for (const auto& [bound, cumulative] : below) {
    const double inside = std::max(0.0, cumulative - before);
    const double middle = std::isinf(bound) ? lower : (lower + bound) / 2;
    n += inside;
    sum += inside * middle;
    squares += inside * middle * middle;
    lower = std::isinf(bound) ? lower : bound;
    before = std::max(before, cumulative);
  }
  if (n < kLeastSymptom || !(sum > 0)) return std::nullopt;
  return squares / (2 * sum) + sum / n;
}

/// What the API servers' clients took less what webhooks took.
void MeasureOwnCalls(const NeighbourFacts& facts, const TimeRange& window, Symptoms* out) {
  const auto posts = [](const Labels& labels) { return labels.Get("verb") == "POST"; };
  const Meter seconds = MeterOf(facts, "processes", SumOf(kube::Metric::kRestRequest), posts);
  const Meter calls = MeterOf(facts, "processes", CountOf(kube::Metric::kRestRequest), posts);
  const Neighbour hooks = Neighbour::kApiserverAdmissionWebhookAdmissionDuration;
  out->has_own_calls = !MeterOf(facts, "processes", CountOf(kube::Metric::kRestRequest)).empty();
  const double n =
      Grown(calls, window) - Grown(MeterOf(facts, "admission", CountOf(hooks)), window);
  if (n < kLeastSymptom) return;
  const double own =
      Grown(seconds, window) - Grown(MeterOf(facts, "admission", SumOf(hooks)), window);
  out->own_call = std::max(0.0, own) / n;
}

}  // namespace

Symptoms MeasureSymptoms(const NeighbourFacts& facts, const TimeRange& window) {
  Symptoms out;
  out.fsync_wait = FsyncWait(facts, window);
  out.fsync_mean = MeanOf(facts, "etcd", Neighbour::kEtcdDiskWalFsyncDuration, window);
  out.commit_mean = MeanOf(facts, "etcd", Neighbour::kEtcdDiskBackendCommitDuration, window);
  out.peer_round_trip = MeanOf(facts, "etcd", Neighbour::kEtcdNetworkPeerRoundTripTime, window);
  out.leader_changes =
      Grown(MeterOf(facts, "etcd", NameOf(Neighbour::kEtcdServerLeaderChangesSeen)), window);
  out.wake_up = MeanOf(facts, "processes", Neighbour::kGoSchedLatencies, window);
  const Meter cpu = MeterOf(facts, "processes", NameOf(kube::Metric::kProcessCpu));
  if (!cpu.empty() && window.end > window.start) {
    out.cores_used = Grown(cpu, window) * 1000 / static_cast<double>(window.end - window.start);
  }
  MeasureOwnCalls(facts, window, &out);
  for (const Series& series : facts.Of("admission")) {
    const auto name = series.labels.Get("__name__");
    const bool refusal = name == NameOf(Neighbour::kApiserverAdmissionWebhookRejectionCount);
    if (!refusal) continue;
    Meter meter(facts);
    meter.Add(series);
    out.refused[std::string(series.labels.Get("name"))] += Grown(meter, window);
  }
  return out;
}

}  // namespace schedlens
