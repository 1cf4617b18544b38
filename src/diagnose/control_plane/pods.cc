#include "diagnose/control_plane/pods.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "diagnose/control_plane/slow_server.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// Cluster, namespace, name, as they stand in the answers.
using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

struct Owner {
  std::string_view kind, name;
};
using Owners = std::map<Key, Owner>;

Key KeyOf(const Labels& labels, std::string_view name) {
  return {labels.Get("cluster"), ObjectLabel(labels, "namespace"), ObjectLabel(labels, name)};
}

/// Of several owners the one that controls it.
void NoteOwner(const Labels& labels, std::string_view name, Owners* owners) {
  Owner owner{ObjectLabel(labels, "owner_kind"), ObjectLabel(labels, "owner_name")};
  if (owner.kind == "<none>") owner = {};
  const std::size_t before = owners->size();
  const auto at = owners->try_emplace(owners->end(), KeyOf(labels, name), owner);
  if (owners->size() == before && ObjectLabel(labels, "owner_is_controller") == "true")
    at->second = owner;
}

/// The pods that had one name, by their creation.
using Namesakes = std::map<double, SeenPod>;

struct Seen {
  std::map<Key, Namesakes> pods;
  Owners pod_owners, replicaset_owners, job_owners;
};

void NoteCreated(const Series& series, Namesakes* pods) {
  for (const Sample& sample : series.samples) {
    SeenPod& pod = (*pods)[sample.v];
    pod.created = sample.v;
    pod.last_seen = std::max(pod.last_seen, sample.t);
  }
}

/// The latest pod of the name that was there by then.
void NoteScheduled(const Series& series, Namesakes* pods) {
  for (const Sample& sample : series.samples) {
    const auto after = pods->upper_bound(sample.v);
    if (after != pods->begin()) std::prev(after)->second.scheduled = sample.v;
  }
}

void Note(const Series& series, Seen* seen, std::vector<const Series*>* scheduled) {
  const std::string_view metric = series.labels.Get(kMetricName);
  if (metric == NameOf(Neighbour::kKubePodCreated)) {
    NoteCreated(series,
                &seen->pods.try_emplace(seen->pods.end(), KeyOf(series.labels, "pod"))->second);
  } else if (metric == NameOf(Neighbour::kKubePodStatusScheduledTime)) {
    scheduled->push_back(&series);
  } else if (metric == NameOf(Neighbour::kKubePodOwner)) {
    NoteOwner(series.labels, "pod", &seen->pod_owners);
  } else if (metric == NameOf(Neighbour::kKubeReplicasetOwner)) {
    NoteOwner(series.labels, "replicaset", &seen->replicaset_owners);
  } else if (metric == NameOf(Neighbour::kKubeJobOwner)) {
    NoteOwner(series.labels, "job_name", &seen->job_owners);
  }
}

Seen Read(const NeighbourFacts& facts) {
  Seen seen;
  std::vector<const Series*> scheduled;
  for (const char* question : {"pods", "pod_owners"}) {
    for (const Series& series : facts.Of(question)) Note(series, &seen, &scheduled);
  }
  auto next = seen.pods.begin();  // behind the last one found: answers mostly have one order
  for (const Series* series : scheduled) {
    const Key key = KeyOf(series->labels, "pod");
    const bool is_next = next != seen.pods.end() && next->first == key;
    const auto pods = is_next ? next : seen.pods.find(key);
    if (pods == seen.pods.end()) continue;
    NoteScheduled(*series, &pods->second);
    next = std::next(pods);
  }
  return seen;
}

/// `owner` is null where it is not known.
WorkloadKey WorkloadOf(const Seen& seen, const Key& pod, const Owner* owner) {
  WorkloadKey workload{std::string(std::get<1>(pod)), "", ""};
  if (owner == nullptr) return workload;
  if (owner->kind.empty()) {
    workload.kind = "Pod";
    return workload;
  }
  workload.kind = owner->kind;
  workload.name = owner->name;
  const Owners* above = workload.kind == "ReplicaSet" ? &seen.replicaset_owners
                        : workload.kind == "Job"      ? &seen.job_owners
                                                      : nullptr;
  if (above == nullptr) return workload;
  const auto of = above->find({std::get<0>(pod), workload.name_space, workload.name});
  if (of == above->end() || of->second.kind.empty()) return workload;
  workload.kind = of->second.kind;
  workload.name = of->second.name;
  return workload;
}

std::vector<SeenPod> ReadPods(const NeighbourFacts& facts) {
  const Seen seen = Read(facts);
  std::vector<SeenPod> all;
  all.reserve(seen.pods.size());
  auto owner = seen.pod_owners.begin();  // both are in the order of their keys
  const auto end = seen.pod_owners.end();
  for (const auto& [key, namesakes] : seen.pods) {
    while (owner != end && owner->first < key) ++owner;
    const bool known = owner != end && owner->first == key;
    const WorkloadKey workload = WorkloadOf(seen, key, known ? &owner->second : nullptr);
    for (const auto& [created, pod] : namesakes) {
      all.push_back(pod);
      all.back().workload = workload;
    }
  }
  return all;
}

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

std::string_view ObjectLabel(const Labels& labels, std::string_view name) {
  constexpr std::string_view kExported = "exported_";
  std::string_view plain;
  for (const auto& [label, value] : labels) {
    if (label == name) plain = value;
    if (label.starts_with(kExported) && label.substr(kExported.size()) == name) return value;
  }
  return plain;
}

const std::vector<SeenPod>& PodsOf(const NeighbourFacts& facts) {
  if (!facts.pods) facts.pods = std::make_shared<const SeenPods>(SeenPods{ReadPods(facts)});
  return facts.pods->all;
}

TimeRange PodScrapes(const NeighbourFacts& facts) {
  TimeRange range{0, -1};
  const Series* before = nullptr;
  for (const Series& series : facts.Of("pods")) {
    if (series.labels.Get(kMetricName) != NameOf(Neighbour::kKubePodCreated)) continue;
    if (before != nullptr && OfOneProcess(series.labels, before->labels)) continue;
    before = &series;
    const auto scrapes = facts.scrapes.find(ProcessLabels(series.labels));
    if (scrapes == facts.scrapes.end() || scrapes->second.empty()) continue;
    const TimeMs first = scrapes->second.front(), last = scrapes->second.back();
    range = range.end < range.start
                ? TimeRange{first, last}
                : TimeRange{std::min(range.start, first), std::max(range.end, last)};
  }
  return range;
}

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
