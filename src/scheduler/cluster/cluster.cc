#include "scheduler/cluster/cluster.h"

#include <algorithm>

namespace schedlens::sim::core {
namespace {

void CountSpec(NodeInfo& info, const PodSpec& spec, int sign) {
  info.requested.Add(spec.request, sign);
  info.nonzero.milli_cpu += sign * spec.nonzero.milli_cpu;
  info.nonzero.memory += sign * spec.nonzero.memory;
  info.pods_with_affinity += HasAffinity(spec) ? sign : 0;
  for (const HostPort& port : spec.host_ports) {
    if (sign > 0) {
      info.used_ports.push_back(port);
      continue;
    }
    const auto at = std::ranges::find(info.used_ports, port);
    if (at != info.used_ports.end()) info.used_ports.erase(at);
  }
}

// Replaces the object that `same` finds, or adds it.
template <typename List, typename Object, typename Same>
void PutIn(List& list, Object object, const Same& same) {
  const auto known = std::ranges::find_if(list, same);
  (known == list.end() ? list.emplace_back() : *known) = std::move(object);
}

}  // namespace

std::pair<Id, Id> ZoneOf(const ObjectLabels& labels, const Strings& strings) {
  const auto first = [&](std::string_view beta, std::string_view stable) {
    for (const std::string_view key : {beta, stable}) {
      const Id value = FindLabel(labels, strings.Find(key));
      if (value != kNone) return value;
    }
    return kEmptyText;
  };
  return {first("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
          first("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")};
}

Cluster::Cluster(const Release& release, std::shared_ptr<Strings> strings)
    : release_(release), strings_(std::move(strings)) {}

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
    index_.CountPod(pod, id, -1);
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
  const auto zone = std::ranges::find(zones_, key, &Zone::key);
  (zone == zones_.end() ? zones_.emplace_back(Zone{key, {}}) : *zone).nodes.push_back(id);
}

void Cluster::RemoveFromZone(NodeId id) {
  order_stale_ = true;
  const auto zone = std::ranges::find(zones_, node_zones_[Index(id)], &Zone::key);
  if (zone == zones_.end()) return;
  std::erase(zone->nodes, id);
  if (zone->nodes.empty()) zones_.erase(zone);
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
      if (std::ranges::find(info.images, name, &ImageState::name) != info.images.end()) continue;
      ++it->second.nodes;
      info.images.push_back({name, it->second.size_bytes, it->second.nodes});
    }
  }
  std::ranges::sort(info.images, {}, &ImageState::name);
}

void Cluster::RemoveImages(NodeId id) {
  for (const ImageState& state : nodes_[Index(id)].images) {
    const auto it = images_.find(state.name);
    if (it != images_.end() && --it->second.nodes == 0) images_.erase(it);
  }
}

void Cluster::PutWorkload(Workload workload) {
  ++version_;
  PutIn(workloads_, workload, [&](const Workload& known) {
    return known.kind == workload.kind && known.namespace_name == workload.namespace_name &&
           known.name == workload.name;
  });
}

void Cluster::PutBudget(DisruptionBudget budget) {
  ++version_;
  PutIn(budgets_, budget, [&](const DisruptionBudget& known) {
    return known.namespace_name == budget.namespace_name && known.name == budget.name;
  });
}

void Cluster::PutNamespace(Id name, ObjectLabels labels) {
  ++version_;
  namespaces_[name] = std::move(labels);
}

const ObjectLabels& Cluster::NamespaceLabels(Id name) const {
  static const ObjectLabels kNoLabels;
  const auto it = namespaces_.find(name);
  return it == namespaces_.end() ? kNoLabels : it->second;
}

void CountPod(NodeInfo& info, const Cluster& cluster, PodId pod, int sign) {
  if (sign > 0) {
    info.pods.push_back(pod);
  } else {
    const auto at = std::ranges::find(info.pods, pod);
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
  index_.CountPod(id, node, 1);
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
  index_.CountPod(id, pod.node, -1);
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

bool HasAffinity(const PodSpec& spec) {
  return !spec.required_affinity.empty() || !spec.required_anti_affinity.empty() ||
         !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
}

bool Matches(const PodAffinityTerm& term, const PodSpec& spec, const Cluster& cluster) {
  const bool named = std::ranges::binary_search(term.namespaces, spec.namespace_name);
  const bool selected =
      !named && term.namespace_selector &&
      Matches(*term.namespace_selector, cluster.NamespaceLabels(spec.namespace_name));
  return (named || selected) && Matches(term.selector, spec.labels);
}

int PodIndex::Tally(std::vector<PodAffinityTerm> all_of, bool count_terminating) {
  for (PodAffinityTerm& term : all_of) term.topology_key = 0;  // makes no other question
  const auto known = std::ranges::find_if(questions_, [&](const Question& question) {
    return question.count_terminating == count_terminating && question.all_of == all_of;
  });
  if (known != questions_.end()) return static_cast<int>(known - questions_.begin());
  Question& question = questions_.emplace_back();
  question.all_of = std::move(all_of);
  question.count_terminating = count_terminating;
  Refresh(question);
  return static_cast<int>(questions_.size()) - 1;
}

bool PodIndex::Match(Question& question, SpecId spec) {
  if (Index(spec) >= question.matches.size()) {
    question.matches.resize(Index(cluster_.spec_limit()), -1);
  }
  std::int8_t& known = question.matches[Index(spec)];
  if (known < 0) {
    known = std::ranges::all_of(question.all_of, [&](const PodAffinityTerm& term) {
      return core::Matches(term, cluster_.spec(spec), cluster_);
    });
  }
  return known > 0;
}

// Counts from scratch: nodes came or went, or a namespace's labels changed.
void PodIndex::Refresh(Question& question) {
  question.version = cluster_.version();
  question.matches.assign(Index(cluster_.spec_limit()), -1);
  question.counts.assign(Index(cluster_.node_limit()), 0);
  for (const NodeId node : cluster_.order()) {
    for (const PodId pod : cluster_.node(node).pods) {
      const Pod& p = cluster_.pod(pod);
      if (p.terminating && !question.count_terminating) continue;
      if (Match(question, p.spec)) ++question.counts[Index(node)];
    }
  }
}

const std::vector<std::int32_t>& PodIndex::Counts(int tally) {
  Question& question = questions_[Index(tally)];
  if (question.version != cluster_.version()) Refresh(question);
  return question.counts;
}

const Topology& PodIndex::TopologyOf(Id key) {
  auto& [version, topology] = topologies_[key];
  if (version == cluster_.version() + 1) return topology;
  version = cluster_.version() + 1;
  topology.key = key;
  topology.domain.assign(Index(cluster_.node_limit()), kNone);
  topology.has.assign(Index(cluster_.node_limit()), 0);
  topology.domains = 0;
  topology.nodes_with_key = 0;
  std::unordered_map<Id, std::int32_t> domains;
  for (const NodeId node : cluster_.order()) {
    const Id value = FindLabel(cluster_.node(node).node.labels, key);
    const auto [it, added] =
        domains.try_emplace(value == kNone ? kEmptyText : value, topology.domains);
    if (added) ++topology.domains;
    topology.domain[Index(node)] = it->second;
    topology.has[Index(node)] = value != kNone;
    topology.nodes_with_key += value != kNone;
  }
  return topology;
}

// Summed up again only when nodes have come or gone since.
const DomainCounts& PodIndex::By(std::deque<DomainCounts>& by_key, Id key,
                                 const std::vector<std::int32_t>& counts) {
  auto at =
      std::ranges::find_if(by_key, [&](const DomainCounts& by) { return by.topology->key == key; });
  if (at == by_key.end()) {
    by_key.emplace_back();
    at = by_key.end() - 1;
    at->topology = &TopologyOf(key);
  }
  if (at->version == cluster_.version() + 1) return *at;
  const Topology& topology = TopologyOf(key);
  at->version = cluster_.version() + 1;
  at->of.assign(Index(topology.domains), 0);
  at->pods = 0;
  for (const NodeId node : cluster_.order()) {
    if (Index(node) >= counts.size() || topology.has[Index(node)] == 0) continue;
    at->of[Index(topology.domain[Index(node)])] += counts[Index(node)];
    at->pods += counts[Index(node)];
  }
  return *at;
}

void PodIndex::CountDomains(std::deque<DomainCounts>& by_key, NodeId node, int sign) const {
  for (DomainCounts& by : by_key) {
    if (by.version != cluster_.version() + 1 || by.topology->has[Index(node)] == 0) continue;
    by.of[Index(by.topology->domain[Index(node)])] += sign;
    by.pods += sign;
  }
}

const DomainCounts& PodIndex::CountsBy(int tally, Id key) {
  const std::vector<std::int32_t>& counts = Counts(tally);
  return By(questions_[Index(tally)].by_key, key, counts);
}

const DomainCounts& PodIndex::CarrierBy(std::size_t carrier, Id key) {
  return By(carriers_[carrier].by_key, key, carriers_[carrier].counts);
}

void PodIndex::CountPod(PodId pod, NodeId node, int sign) {
  const Pod& p = cluster_.pod(pod);
  for (Question& question : questions_) {
    if (question.version != cluster_.version()) continue;
    if (p.terminating && !question.count_terminating) continue;
    if (!Match(question, p.spec)) continue;
    question.counts[Index(node)] += sign;
    CountDomains(question.by_key, node, sign);
  }
  if (HasAffinity(cluster_.spec(p.spec))) CountCarrier(p.spec, node, sign);
}

void PodIndex::CountCarrier(SpecId spec, NodeId node, int sign) {
  if (Index(spec) >= carrier_of_spec_.size()) {
    carrier_of_spec_.resize(Index(cluster_.spec_limit()), kNone);
  }
  std::int32_t& place = carrier_of_spec_[Index(spec)];
  if (place == kNone) {
    place = static_cast<std::int32_t>(carriers_.size());
    carriers_.emplace_back().spec = spec;
  }
  Carrier& carrier = carriers_[Index(place)];
  if (Index(node) >= carrier.counts.size()) carrier.counts.resize(Index(cluster_.node_limit()), 0);
  carrier.counts[Index(node)] += sign;
  carrier.pods += sign;
  CountDomains(carrier.by_key, node, sign);
  if (carrier.pods != 0) return;
  const std::size_t gone = Index(place);
  place = kNone;
  if (gone + 1 < carriers_.size()) {
    carrier = std::move(carriers_.back());
    carrier_of_spec_[Index(carrier.spec)] = static_cast<std::int32_t>(gone);
  }
  carriers_.pop_back();
}

}  // namespace schedlens::sim::core
