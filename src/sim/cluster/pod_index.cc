#include "sim/cluster/pod_index.h"

#include <algorithm>

namespace schedlens::sim::core {
namespace {

void Append(std::string& key, std::int64_t value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void Append(std::string& key, const LabelSelector& selector) {
  Append(key, selector.nothing ? -1 : static_cast<std::int64_t>(selector.requirements.size()));
  for (const Requirement& r : selector.requirements) {
    Append(key, r.key);
    Append(key, static_cast<std::int64_t>(r.op));
    Append(key, static_cast<std::int64_t>(r.values.size()));
    for (const Id value : r.values) Append(key, value);
  }
}

}  // namespace

bool HasAffinity(const PodSpec& spec) {
  return !spec.required_affinity.empty() || !spec.required_anti_affinity.empty() ||
         !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
}

bool Matches(const PodAffinityTerm& term, const PodSpec& spec, const Cluster& cluster) {
  const bool named =
      std::binary_search(term.namespaces.begin(), term.namespaces.end(), spec.namespace_name);
  const bool selected =
      !named && term.namespace_selector &&
      Matches(*term.namespace_selector, cluster.NamespaceLabels(spec.namespace_name));
  return (named || selected) && Matches(term.selector, spec.labels);
}

int PodIndex::Tally(const std::vector<PodAffinityTerm>& all_of, bool count_terminating) {
  std::string key;
  Append(key, count_terminating);
  for (const PodAffinityTerm& term : all_of) {
    Append(key, term.selector);
    Append(key, static_cast<std::int64_t>(term.namespaces.size()));
    for (const Id name : term.namespaces) Append(key, name);
    if (term.namespace_selector) Append(key, *term.namespace_selector);
  }
  const auto [it, added] =
      numbers_.try_emplace(std::move(key), static_cast<int>(questions_.size()));
  if (added) {
    Question& question = questions_.emplace_back();
    question.all_of = all_of;
    question.count_terminating = count_terminating;
    Refresh(question);
  }
  return it->second;
}

bool PodIndex::Match(Question& question, SpecId spec) {
  if (Index(spec) >= question.matches.size()) {
    question.matches.resize(Index(cluster_.spec_limit()), -1);
  }
  std::int8_t& known = question.matches[Index(spec)];
  if (known < 0) {
    known = std::all_of(question.all_of.begin(), question.all_of.end(),
                        [&](const PodAffinityTerm& term) {
                          return core::Matches(term, cluster_.spec(spec), cluster_);
                        });
  }
  return known > 0;
}

bool PodIndex::TallyMatches(int tally, SpecId spec) {
  return Match(questions_[Index(tally)], spec);
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
  auto at = std::find_if(by_key.begin(), by_key.end(),
                         [&](const DomainCounts& by) { return by.topology->key == key; });
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
