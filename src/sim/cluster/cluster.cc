#include "sim/cluster/cluster.h"

#include <algorithm>
#include <utility>

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

std::pair<Id, Id> ZoneOf(const ObjectLabels& labels, const Strings& strings) {
  const auto first = [&](std::string_view beta, std::string_view stable) {
    for (const std::string_view key : {beta, stable}) {
      const Id id = strings.Find(key);
      const Id value = id == kNone ? kNone : FindLabel(labels, id);
      if (value != kNone) return value;
    }
    return kEmptyText;
  };
  return {first("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
          first("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")};
}

Cluster::Cluster(const Release& release, std::shared_ptr<Strings> strings)
    : release_(release), strings_(std::move(strings)), index_(std::make_unique<PodIndex>(*this)) {}

Cluster::~Cluster() = default;

void Cluster::Mirror(NodeId id) {
  const NodeInfo& info = nodes_[Index(id)];
  HotNode& hot = hot_[Index(id)];
  unschedulable_nodes_ += info.node.unschedulable - hot.unschedulable;
  tainted_nodes_ += !info.node.taints.empty() - hot.has_taints;
  hot = {info.node.allocatable.milli_cpu,
         info.node.allocatable.memory,
         info.node.allocatable.ephemeral_storage,
         info.node.allocatable.pods,
         info.requested.milli_cpu,
         info.requested.memory,
         info.requested.ephemeral_storage,
         info.nonzero.milli_cpu,
         info.nonzero.memory,
         static_cast<std::int32_t>(info.pods.size()),
         info.node.unschedulable,
         !info.node.taints.empty(),
         !info.nominated.empty()};
}

NodeId Cluster::AddNode(Node node) {
  if (const NodeId known = FindNode(node.name); known != kNone) {
    UpdateNode(known, std::move(node));
    return known;
  }
  const auto id = static_cast<NodeId>(nodes_.size());
  node_ids_[node.name] = id;
  NodeInfo& info = nodes_.emplace_back();
  info.id = id;
  info.node = std::move(node);
  info.alive = true;
  node_zones_.emplace_back();
  hot_.emplace_back();
  ++node_count_;
  ++version_;
  AddToZone(id);
  AddImages(id);
  Touch(info);
  Mirror(id);
  return id;
}

void Cluster::UpdateNode(NodeId id, Node node) {
  RemoveImages(id);
  NodeInfo& info = nodes_[Index(id)];
  info.node = std::move(node);
  ++version_;
  if (ZoneOf(info.node.labels, *strings_) != node_zones_[Index(id)]) {
    // The snapshot's list is only made again when a node comes or goes.
    const bool stale = order_stale_;
    RemoveFromZone(id);
    AddToZone(id);
    order_stale_ = stale;
  }
  AddImages(id);
  Touch(info);
  Mirror(id);
}

void Cluster::RemoveNode(NodeId id) {
  NodeInfo& info = nodes_[Index(id)];
  if (!info.alive) return;
  RemoveImages(id);
  RemoveFromZone(id);
  node_ids_.erase(info.node.name);
  for (const PodId pod : info.pods) {
    index_->CountPod(pod, id, -1);
    CountClaims(pod, -1);
    pods_[Index(pod)].node = kNone;
  }
  for (const PodId pod : info.nominated) pods_[Index(pod)].nominated = kNone;
  nominated_pods_ -= static_cast<std::int32_t>(info.nominated.size());
  const Id name = info.node.name;
  info = NodeInfo();
  info.id = id;
  info.node.name = name;
  Mirror(id);
  --node_count_;
  ++version_;
}

NodeId Cluster::FindNode(Id name) const {
  const auto it = node_ids_.find(name);
  return it == node_ids_.end() ? kNone : it->second;
}

void Cluster::AddToZone(NodeId id) {
  const auto key = ZoneOf(nodes_[Index(id)].node.labels, *strings_);
  node_zones_[Index(id)] = key;
  order_stale_ = true;
  for (Zone& zone : zones_) {
    if (zone.key == key) {
      zone.nodes.push_back(id);
      return;
    }
  }
  zones_.push_back({key, {id}});
}

void Cluster::RemoveFromZone(NodeId id) {
  order_stale_ = true;
  for (auto zone = zones_.begin(); zone != zones_.end(); ++zone) {
    if (zone->key != node_zones_[Index(id)]) continue;
    std::erase(zone->nodes, id);
    if (zone->nodes.empty()) zones_.erase(zone);
    return;
  }
}

std::span<const NodeId> Cluster::order() const {
  if (order_stale_) {
    order_.clear();
    for (std::size_t round = 0; order_.size() < static_cast<std::size_t>(node_count_); ++round) {
      for (const Zone& zone : zones_) {
        if (round < zone.nodes.size()) order_.push_back(zone.nodes[round]);
      }
    }
    order_stale_ = false;
  }
  return order_;
}

void Cluster::Touch(const NodeInfo& info) {
  if (release_.minor >= 30 && !info.images.empty()) touched_.push_back(info.id);
}

void Cluster::TakeSnapshot() const {
  for (const NodeId id : touched_) {
    for (ImageState& state : nodes_[Index(id)].images) {
      const auto at = images_.find(state.name);
      if (at != images_.end()) state.nodes = at->second.nodes;
    }
  }
  touched_.clear();
}

// How many nodes have an image is remembered per node as of this moment; the size is that of the
// node that brought the image first. Scores depend on it.
void Cluster::AddImages(NodeId id) {
  NodeInfo& info = nodes_[Index(id)];
  info.images.clear();
  for (const Image& image : info.node.images) {
    for (const Id name : image.names) {
      const auto [it, first] = images_.try_emplace(name, ImageNodes{image.size_bytes, 0});
      const bool again = std::any_of(info.images.begin(), info.images.end(),
                                     [&](const ImageState& s) { return s.name == name; });
      if (again) continue;
      ++it->second.nodes;
      info.images.push_back({name, it->second.size_bytes, it->second.nodes});
    }
  }
  std::sort(info.images.begin(), info.images.end(),
            [](const ImageState& a, const ImageState& b) { return a.name < b.name; });
}

void Cluster::RemoveImages(NodeId id) {
  for (const ImageState& state : nodes_[Index(id)].images) {
    const auto it = images_.find(state.name);
    if (it != images_.end() && --it->second.nodes == 0) images_.erase(it);
  }
}

void Cluster::PutWorkload(Workload workload) {
  ++version_;
  for (Workload& known : workloads_) {
    if (known.kind == workload.kind && known.namespace_name == workload.namespace_name &&
        known.name == workload.name) {
      known = std::move(workload);
      return;
    }
  }
  workloads_.push_back(std::move(workload));
}

void Cluster::PutBudget(DisruptionBudget budget) {
  ++version_;
  for (DisruptionBudget& known : budgets_) {
    if (known.namespace_name == budget.namespace_name && known.name == budget.name) {
      known = std::move(budget);
      return;
    }
  }
  budgets_.push_back(std::move(budget));
}

void Cluster::PutNamespace(Namespace ns) {
  ++version_;
  namespaces_[ns.name] = std::move(ns.labels);
}

const ObjectLabels& Cluster::NamespaceLabels(Id name) const {
  static const ObjectLabels kNoLabels;
  const auto it = namespaces_.find(name);
  return it == namespaces_.end() ? kNoLabels : it->second;
}

// Pods in a cluster: their room on nodes, bindings and nominations.

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
