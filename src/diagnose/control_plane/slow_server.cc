#include "diagnose/control_plane/slow_server.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// Fewer requests have no mean to speak of.
constexpr double kLeast = 20;

struct Requests {
  Meter count, seconds;
  explicit Requests(const NeighbourFacts& facts) : count(facts), seconds(facts) {}
};
using Kind = std::pair<std::string, std::string>;  // verb, subresource

std::map<Kind, Requests> RequestsByKind(const NeighbourFacts& facts) {
  std::map<Kind, Requests> kinds;
  const std::string sum = SumOf(Neighbour::kApiserverRequestDuration);
  const std::string count = CountOf(Neighbour::kApiserverRequestDuration);
  for (const std::string_view question : {"bindings", "requests"}) {
    for (const Series& series : facts.Of(question)) {
      const std::string_view name = series.labels.Get("__name__");
      if (name != sum && name != count) continue;
      const Kind kind{series.labels.Get("verb"), series.labels.Get("subresource")};
      Requests& requests = kinds.try_emplace(kind, facts).first->second;
      (name == sum ? requests.seconds : requests.count).Add(series);
    }
  }
  return kinds;
}

/// What servers answered of one kind.
struct Answered {
  double count = 0, seconds = 0, servers = 0;
};

/// Of each server what the others answered that answered any: those before it and those behind it.
std::vector<Answered> OthersOf(const std::vector<Answered>& own) {
  std::vector<Answered> others(own.size());
  const auto take = [](auto one, auto end, auto other) {
    for (Answered sum; one != end; ++one, ++other) {
      *other = {other->count + sum.count, other->seconds + sum.seconds,
                other->servers + sum.servers};
      if (one->count < 1) continue;
      sum = {sum.count + one->count, sum.seconds + one->seconds, sum.servers + 1};
    }
  };
  take(own.begin(), own.end(), others.begin());
  take(own.rbegin(), own.rend(), others.rbegin());
  return others;
}

/// Adds one kind of requests to each server that can be compared by it.
void Compare(const Requests& requests, const TimeRange& window,
             std::map<Labels, ServerAgainstOthers>* servers) {
  const std::vector<Labels> processes = requests.count.processes();
  std::vector<Answered> own;
  for (const Labels& one : processes) {
    own.push_back({requests.count.IncreaseOf(one, window).low,
                   requests.seconds.IncreaseOf(one, window).low, 1});
  }
  const std::vector<Answered> others = OthersOf(own);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (own[i].count < kLeast || others[i].count < kLeast) continue;
    ServerAgainstOthers& server = (*servers)[processes[i]];
    server.instance = processes[i].Get("instance");
    server.others = std::max(server.others, others[i].servers);
    server.requests += own[i].count;
    server.seconds += own[i].seconds;
    server.expected += own[i].count * others[i].seconds / others[i].count;
  }
}

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

std::vector<ServerAgainstOthers> CompareServers(const NeighbourFacts& facts,
                                                const TimeRange& window) {
  std::map<Labels, ServerAgainstOthers> servers;
  for (const auto& [kind, requests] : RequestsByKind(facts)) Compare(requests, window, &servers);
  std::vector<ServerAgainstOthers> all;
  for (auto& [process, server] : servers) all.push_back(std::move(server));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.seconds * b.expected > b.seconds * a.expected;
  });
  return all;
}

using kube::Neighbour;

Meter RequestSeconds(const NeighbourFacts& facts, std::string_view question,
                     const SeriesTest& wanted) {
  return MeterOf(facts, question, SumOf(Neighbour::kApiserverRequestDuration), wanted);
}

Meter IndicatedSeconds(const NeighbourFacts& facts, std::string_view question,
                       const SeriesTest& wanted) {
  Meter meter(facts);
  std::map<Labels, bool> has_sli;
  const std::string sli = SumOf(Neighbour::kApiserverRequestSliDuration);
  const std::string slo = SumOf(Neighbour::kApiserverRequestSloDuration);
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") == sli) has_sli[ProcessLabels(series.labels)] = true;
  }
  for (const Series& series : facts.Of(question)) {
    if (wanted && !wanted(series.labels)) continue;
    const auto name = series.labels.Get("__name__");
    if (name == sli || (name == slo && !has_sli[ProcessLabels(series.labels)])) meter.Add(series);
  }
  return meter;
}

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
