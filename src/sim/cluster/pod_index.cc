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

bool HasAffinity(const PodSpec& spec) {
  return !spec.required_affinity.empty() || !spec.required_anti_affinity.empty() ||
         !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
}

}  // namespace

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

void PodIndex::CountPod(PodId pod, NodeId node, int sign) {
  const Pod& p = cluster_.pod(pod);
  for (Question& question : questions_) {
    if (question.version != cluster_.version()) continue;
    if (p.terminating && !question.count_terminating) continue;
    if (Match(question, p.spec)) question.counts[Index(node)] += sign;
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
    carriers_.push_back({spec, {}});
  }
  auto& nodes = carriers_[Index(place)].nodes;
  auto at = std::find_if(nodes.begin(), nodes.end(),
                         [&](const auto& entry) { return entry.first == node; });
  if (at == nodes.end()) at = nodes.insert(nodes.end(), {node, 0});
  at->second += sign;
  if (at->second != 0) return;
  *at = nodes.back();
  nodes.pop_back();
  if (!nodes.empty()) return;
  carrier_of_spec_[Index(carriers_.back().spec)] = place;
  carriers_[Index(place)] = std::move(carriers_.back());
  carriers_.pop_back();
  carrier_of_spec_[Index(spec)] = kNone;
}

}  // namespace schedlens::sim::core
