#include "analysis/neighbours/pod_storage.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "analysis/neighbours/request_seconds.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;

Meter Operations(const NeighbourFacts& facts, const std::set<std::string_view>& wanted) {
  return MeterOf(facts, "etcd_requests", SumOf(Neighbour::kEtcdRequestDuration),
                 [&](const Labels& labels) { return wanted.contains(labels.Get("operation")); });
}

bool Creates(const Labels& labels) {
  return labels.Get("verb") == "POST" && labels.Get("subresource").empty();
}

/// Whether every process counts its answers and none was that such a pod exists.
bool NoConflicts(const NeighbourFacts& facts, const Meter& creations, const TimeRange& window) {
  const auto answers = [&](const SeriesTest& wanted) {
    return MeterOf(facts, "requests", NameOf(Neighbour::kApiserverRequest), wanted);
  };
  const Meter conflicts =
      answers([](const Labels& labels) { return Creates(labels) && labels.Get("code") == "409"; });
  return answers(Creates).Covers(creations) && conflicts.Increase(window).high == 0;
}

/// At the same scrapes: what bindings had within them they had in the window.
double LeastStored(const NeighbourFacts& facts, const TimeRange& window) {
  const Meter creations = RequestSeconds(facts, "requests", Creates);
  std::set<std::string_view> operations = {"get", "update", "delete"};
  SeriesTest others = [](const Labels& labels) { return !Creates(labels); };
  if (!NoConflicts(facts, creations, window)) {
    operations.insert("create");
    others = nullptr;
  }
  Meter left = Operations(facts, operations);
  const Meter all = RequestSeconds(facts, "requests", others);
  const Meter indicated = IndicatedSeconds(facts, "requests", others);
  left.Add(indicated.Covers(all) ? indicated : all, -1);
  return left.Increase(window).low;
}

}  // namespace

std::optional<Between> StorageOfBindings(const NeighbourFacts& facts, const TimeRange& window,
                                         const Between& inside, bool shared) {
  if (facts.Of("etcd_requests").empty()) return std::nullopt;
  const double most = Operations(facts, {"get", "update"}).Increase(window).high;
  Between storage{0, 0, std::min(most, inside.high)};
  if (!shared) storage.low = std::min(LeastStored(facts, window), storage.high);
  storage.value = std::isfinite(storage.high) ? (storage.low + storage.high) / 2 : storage.low;
  return storage;
}

}  // namespace schedlens
