// Pods in a cluster: their room on nodes, bindings and nominations.

#include <algorithm>
#include <utility>

#include "sim/cluster/cluster.h"
#include "sim/cluster/pod_index.h"

namespace schedlens::sim::core {
namespace {

void CountSpec(NodeInfo& info, const PodSpec& spec, int sign) {
  Resources& sum = info.requested;
  sum.milli_cpu += sign * spec.request.milli_cpu;
  sum.memory += sign * spec.request.memory;
  sum.ephemeral_storage += sign * spec.request.ephemeral_storage;
  for (const ScalarAmount& s : spec.request.scalars) sum.AddScalar(s.name, sign * s.amount);
  info.nonzero.milli_cpu += sign * spec.nonzero.milli_cpu;
  info.nonzero.memory += sign * spec.nonzero.memory;
  info.pods_with_affinity += HasAffinity(spec) ? sign : 0;
  info.pods_with_required_anti_affinity += spec.required_anti_affinity.empty() ? 0 : sign;
  for (const HostPort& port : spec.host_ports) {
    if (sign > 0) {
      info.used_ports.push_back(port);
      continue;
    }
    const auto at =
        std::find_if(info.used_ports.begin(), info.used_ports.end(), [&](const HostPort& used) {
          return used.ip == port.ip && used.protocol == port.protocol && used.port == port.port;
        });
    if (at != info.used_ports.end()) info.used_ports.erase(at);
  }
}

}  // namespace

void CountPod(NodeInfo& info, const Cluster& cluster, PodId pod, int sign) {
  if (sign > 0) {
    info.pods.push_back(pod);
  } else {
    const auto at = std::find(info.pods.begin(), info.pods.end(), pod);
    if (at == info.pods.end()) return;
    *at = info.pods.back();
    info.pods.pop_back();
  }
  CountSpec(info, cluster.SpecOf(pod), sign);
}

SpecId Cluster::AddSpec(PodSpec spec) {
  Resolve(spec, release_);
  specs_.push_back(std::make_unique<const PodSpec>(std::move(spec)));
  return static_cast<SpecId>(specs_.size()) - 1;
}

PodId Cluster::CreatePod(std::string name, SpecId spec, Id uid) {
  PodId id;
  if (free_pods_.empty()) {
    id = static_cast<PodId>(pods_.size());
    pods_.emplace_back();
  } else {
    id = free_pods_.back();
    free_pods_.pop_back();
  }
  Pod& pod = pods_[Index(id)];
  pod = Pod();
  pod.name = std::move(name);
  pod.uid = uid;
  pod.spec = spec;
  pod.alive = true;
  return id;
}

void Cluster::CountClaims(PodId id, int sign) {
  for (const PodVolume& volume : SpecOf(id).volumes) {
    const Id key = ClaimKeyOf(*this, id, volume);
    if (key != kNone) volume_objects_.CountUser(key, sign);
  }
}

void Cluster::BindPod(PodId id, NodeId node) {
  UnbindPod(id);
  Nominate(id, kNone);
  Pod& pod = pods_[Index(id)];
  NodeInfo& info = nodes_[Index(node)];
  pod.node = node;
  pod.slot = static_cast<std::int32_t>(info.pods.size());
  info.pods.push_back(id);
  CountSpec(info, spec(pod.spec), 1);
  index_->CountPod(id, node, 1);
  CountClaims(id, 1);
  Touch(info);
  Mirror(node);
}

void Cluster::UnbindPod(PodId id) {
  Pod& pod = pods_[Index(id)];
  if (pod.node == kNone) return;
  NodeInfo& info = nodes_[Index(pod.node)];
  const PodId last = info.pods.back();
  info.pods[Index(pod.slot)] = last;
  pods_[Index(last)].slot = pod.slot;
  info.pods.pop_back();
  CountSpec(info, spec(pod.spec), -1);
  index_->CountPod(id, pod.node, -1);
  CountClaims(id, -1);
  Touch(info);
  Mirror(pod.node);
  pod.node = kNone;
}

void Cluster::DeletePod(PodId id) {
  UnbindPod(id);
  Nominate(id, kNone);
  pods_[Index(id)] = Pod();
  free_pods_.push_back(id);
}

void Cluster::SetTerminating(PodId id, bool preempted) {
  Pod& pod = pods_[Index(id)];
  if (pod.terminating) return;
  pod.preempted = preempted;
  // The cache replaces a changed pod: off its node and on again, as the last one there.
  const NodeId node = pod.node;
  const NodeId nominated = pod.nominated;
  if (node != kNone) UnbindPod(id);
  pod.terminating = true;
  if (node != kNone) BindPod(id, node);
  Nominate(id, nominated);
}

void Cluster::SetClaims(PodId pod, std::vector<Id> claims) {
  pods_[Index(pod)].claims = std::move(claims);
}

void Cluster::SetStart(PodId pod, std::int64_t start_ms) { pods_[Index(pod)].start_ms = start_ms; }

void Cluster::Nominate(PodId id, NodeId node) {
  Pod& pod = pods_[Index(id)];
  if (pod.nominated == node) return;
  const NodeId before = pod.nominated;
  pod.nominated = node;
  nominated_pods_ += (node != kNone) - (before != kNone);
  if (before != kNone) {
    std::erase(nodes_[Index(before)].nominated, id);
    Mirror(before);
  }
  if (node != kNone) {
    nodes_[Index(node)].nominated.push_back(id);
    Mirror(node);
  }
}

PodId Cluster::FindPod(Id namespace_name, std::string_view name) const {
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if (pods_[i].alive && pods_[i].name == name &&
        spec(pods_[i].spec).namespace_name == namespace_name) {
      return static_cast<PodId>(i);
    }
  }
  return kNone;
}

}  // namespace schedlens::sim::core
