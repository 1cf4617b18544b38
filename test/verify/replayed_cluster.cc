#include "verify/replayed_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "schedlens/error.h"
#include "scheduler/cluster/object_fields.h"

namespace schedlens::verify {

using core::kNone;
using core::NodeId;
using core::PodId;

namespace {

core::PodObject PodFromText(const std::string& json, core::Strings& strings,
                            std::map<std::string, int>& ignored) {
  return core::PodFrom(ReadJson(json), strings, ignored);
}

}  // namespace

const std::string& ReplayedCluster::NodeName(NodeId node) const {
  return cluster_.strings().Text(cluster_.node(node).node.name);
}

std::string ReplayedCluster::PodName(PodId pod) const {
  return cluster_.strings().Text(cluster_.SpecOf(pod).namespace_name) + "/" +
         cluster_.pod(pod).name;
}

NodeId ReplayedCluster::NodeOf(const std::string& name) const {
  const core::Id id = cluster_.strings().Find(name);
  return id == kNone ? kNone : cluster_.FindNode(id);
}

NodeId ReplayedCluster::KnownNode(const std::string& name) const {
  const NodeId node = NodeOf(name);
  if (node == kNone) throw Error(ErrorKind::kFailed, fmt::format("unknown node `{}`", name));
  return node;
}

void ReplayedCluster::Apply(const RecordedEvent& event) {
  using Kind = RecordedEvent::Kind;
  if (event.kind == Kind::kObjectPut) {
    const core::Loaded loaded = core::LoadObjects(event.object, "objectPut", cluster_);
    if (loaded.ignored > 0) throw Error(ErrorKind::kFailed, "objectPut: a kind of no concern");
    for (const auto& [what, count] : loaded.ignored_fields) ignored_[what] += count;
    return;
  }
  if (event.kind == Kind::kPodAdded) {
    AddPod(event.object);
    return;
  }
  if (event.kind == Kind::kPodPending || event.kind == Kind::kPodUpdated) {
    // Held back, it takes no part; its attempt brings it as it is then.
    PodFromText(event.object, cluster_.strings(), ignored_);
    return;
  }
  const auto at = pods_.find(event.pod);
  if (at == pods_.end()) return;
  const PodId pod = at->second;
  if (event.kind == Kind::kBound) {
    starts_[pod] = ParseTime(event.start_time, 0).value_or(0);
    // The old cache keeps the pod as it was assumed when its binding is confirmed, without what
    // else that update brought; only the next update gets in.
    if (release_.minor >= 22) cluster_.SetStart(pod, starts_[pod]);
  } else if (event.kind == Kind::kPodDeleted) {
    Forget(event.pod);
  } else if (event.kind == Kind::kPodTerminating) {
    if (const auto start = starts_.find(pod); start != starts_.end()) {
      cluster_.SetStart(pod, start->second);
    }
    cluster_.SetTerminating(pod, event.preempted);
  } else {
    HearNomination(pod, NodeOf(event.nominated_node));
  }
}

// The scheduler knows what it nominates before the API server does: the event that comes back tells
// nothing new, and may be older than the latest nomination.
void ReplayedCluster::HearNomination(PodId pod, NodeId node) {
  auto& expected = nominations_[pod];
  const auto at = std::find(expected.begin(), expected.end(), node);
  if (at != expected.end()) {
    expected.erase(expected.begin(), at + 1);
  } else if (cluster_.pod(pod).node == kNone) {
    cluster_.Nominate(pod, node);
  }
}

// Preempting for a pod takes the node from pods of lower priority nominated to it.
void ReplayedCluster::Nominate(PodId pod, NodeId node, bool takes_it) {
  const std::vector<PodId> others = cluster_.node(node).nominated;
  for (const PodId other : others) {
    if (!takes_it) break;
    if (cluster_.SpecOf(other).priority >= cluster_.SpecOf(pod).priority) continue;
    cluster_.Nominate(other, kNone);
    nominations_[other].push_back(kNone);
  }
  cluster_.Nominate(pod, node);
  nominations_[pod].push_back(node);
}

void ReplayedCluster::AddPod(const std::string& object) {
  core::PodObject pod = PodFromText(object, cluster_.strings(), ignored_);
  const NodeId node = cluster_.FindNode(pod.spec.node_name);
  const std::string name = cluster_.strings().Text(pod.spec.namespace_name) + "/" + pod.name;
  Forget(name);
  const PodId id = Create(name, std::move(pod));
  if (node != kNone) cluster_.BindPod(id, node);
}

void ReplayedCluster::Forget(const std::string& name) {
  const auto at = pods_.find(name);
  if (at == pods_.end()) return;
  starts_.erase(at->second);
  nominations_.erase(at->second);
  cluster_.DeletePod(at->second);
  pods_.erase(at);
}

PodId ReplayedCluster::Create(const std::string& name, core::PodObject pod) {
  // Budgets know their pods by name.
  cluster_.strings().Intern(pod.name);
  const std::int64_t start = pod.start_ms;
  const bool terminating = pod.terminating, preempted = pod.preempted_by_scheduler;
  const core::Id uid = pod.uid;
  std::string own_name = pod.name;
  const PodId id =
      cluster_.CreatePod(std::move(own_name), cluster_.AddSpec(std::move(pod.spec)), uid);
  cluster_.SetStart(id, start);
  if (terminating) cluster_.SetTerminating(id, preempted);
  pods_[name] = id;
  return id;
}

PodId ReplayedCluster::StartAttempt(const RecordedAttempt& attempt) {
  core::PodObject object = PodFromText(attempt.pod, cluster_.strings(), ignored_);
  // A pod keeps its nomination from try to try.
  const auto known = pods_.find(attempt.pod_name);
  const NodeId nominated = known != pods_.end() ? cluster_.pod(known->second).nominated
                                                : cluster_.FindNode(object.nominated_node);
  std::vector<NodeId> expected;
  if (known != pods_.end()) expected = std::move(nominations_[known->second]);
  Forget(attempt.pod_name);
  object.start_ms = 0;
  const PodId pod = Create(attempt.pod_name, std::move(object));
  nominations_[pod] = std::move(expected);
  cluster_.Nominate(pod, nominated);
  return pod;
}

// With asynchronous preemption nothing more is done if all victims are going already.
bool ReplayedCluster::AnyVictimLeft(const RecordedAttempt& attempt) const {
  if (!release_.async_preemption() || !attempt.preemption) return true;
  for (const RecordedCandidate& candidate : attempt.preemption->candidates) {
    if (candidate.node != attempt.node) continue;
    return std::any_of(candidate.victims.begin(), candidate.victims.end(), [&](const auto& name) {
      const auto at = pods_.find(name);
      return at != pods_.end() && !cluster_.pod(at->second).terminating;
    });
  }
  return true;
}

void ReplayedCluster::EndAttempt(const RecordedAttempt& attempt, PodId pod) {
  if (attempt.result == "scheduled") {
    cluster_.BindPod(pod, KnownNode(attempt.node));
  } else if (!attempt.node.empty()) {
    Nominate(pod, KnownNode(attempt.node), AnyVictimLeft(attempt));
  } else if (attempt.preemption && attempt.preemption->eligible &&
             cluster_.pod(pod).nominated != kNone) {
    // Preemption that finds nothing takes an earlier nomination back.
    cluster_.Nominate(pod, kNone);
    nominations_[pod].push_back(kNone);
  }
}

}  // namespace schedlens::verify
