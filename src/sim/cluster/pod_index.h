#ifndef SCHEDLENS_SIM_CLUSTER_POD_INDEX_H_
#define SCHEDLENS_SIM_CLUSTER_POD_INDEX_H_

// Counts that affinity and spreading need, kept as pods come and go instead of counted in every
// attempt: pods by node that match a selector, nodes by spec, nodes by topology value.

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/cluster/cluster.h"

namespace schedlens::sim::core {

/// Whether a pod has terms of affinity or anti-affinity, required or preferred.
bool HasAffinity(const PodSpec& spec);

/// Whether a pod of `spec` is one the term means: namespace and selector.
bool Matches(const PodAffinityTerm& term, const PodSpec& spec, const Cluster& cluster);

/// The nodes' values of one label key as small numbers. A node without the key counts as one whose
/// value is empty, and `has` tells the two apart.
struct Topology {
  Id key = 0;
  std::vector<std::int32_t> domain;  ///< by NodeId; kNone for a removed node
  std::vector<std::uint8_t> has;     ///< by NodeId
  std::int32_t domains = 0;
  std::int32_t nodes_with_key = 0;
};

/// A count of pods by value of a topology key; nodes without the key count nowhere.
struct DomainCounts {
  const Topology* topology = nullptr;
  std::uint64_t version = 0;
  std::vector<std::int32_t> of;  ///< by domain
  std::int64_t pods = 0;         ///< their sum
};

class PodIndex {
 public:
  explicit PodIndex(const Cluster& cluster) : cluster_(cluster) {}

  /// A count of pods by node, for pods that match all terms; with or without terminating pods.
  /// Equal questions share a number.
  int Tally(const std::vector<PodAffinityTerm>& all_of, bool count_terminating);
  const std::vector<std::int32_t>& Counts(int tally);
  /// The same by value of a topology key. The reference stays good until the nodes change.
  const DomainCounts& CountsBy(int tally, Id key);
  /// Whether a pod of that spec is counted.
  bool TallyMatches(int tally, SpecId spec);

  /// Up to date with the nodes. The reference stays good until the nodes change.
  const Topology& TopologyOf(Id key);

  /// Specs with any affinity term that have pods on nodes.
  struct Carrier {
    SpecId spec = kNone;
    std::int64_t pods = 0;
    std::vector<std::int32_t> counts;  ///< by NodeId
    std::deque<DomainCounts> by_key;
  };
  const std::vector<Carrier>& carriers() const { return carriers_; }
  /// The pods of one of them by value of a topology key.
  const DomainCounts& CarrierBy(std::size_t carrier, Id key);

  /// The cluster's: a pod now counts on the node (1) or no longer does (-1).
  void CountPod(PodId pod, NodeId node, int sign);

 private:
  struct Question {
    std::vector<PodAffinityTerm> all_of;
    bool count_terminating = true;
    std::vector<std::int32_t> counts;  // by NodeId
    std::vector<std::int8_t> matches;  // by SpecId; -1 not asked yet
    std::uint64_t version = 0;
    std::deque<DomainCounts> by_key;  // references stay good
  };
  void Refresh(Question& question);
  const DomainCounts& By(std::deque<DomainCounts>& by_key, Id key,
                         const std::vector<std::int32_t>& counts);
  void CountDomains(std::deque<DomainCounts>& by_key, NodeId node, int sign) const;
  bool Match(Question& question, SpecId spec);
  void CountCarrier(SpecId spec, NodeId node, int sign);

  const Cluster& cluster_;
  std::deque<Question> questions_;  // references to counts stay good
  std::unordered_map<std::string, int> numbers_;
  std::unordered_map<Id, std::pair<std::uint64_t, Topology>> topologies_;
  std::vector<Carrier> carriers_;
  std::vector<std::int32_t> carrier_of_spec_;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_CLUSTER_POD_INDEX_H_
