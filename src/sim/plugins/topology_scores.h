#ifndef SCHEDLENS_SIM_PLUGINS_TOPOLOGY_SCORES_H_
#define SCHEDLENS_SIM_PLUGINS_TOPOLOGY_SCORES_H_

// Weighted counts of pods at the nodes that are scored.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/plugins/topology_sums.h"

namespace schedlens::sim::core {

/// A key with fewer values than there are nodes to score (zones) is summed up by value; of one with
/// more (hostnames) only the values of the scored nodes are looked at.
class TopologyScores {
 public:
  /// Forgets all counts; `nodes` will be scored.
  void Clear(std::size_t nodes) {
    nodes_ = nodes;
    sums_.Clear();
    apart_.clear();
    any_ = false;
  }
  /// `counts` is read in At() again: the cluster must not change before.
  void Add(const DomainCounts& counts, std::int64_t weight, PodIndex& index) {
    if (counts.pods == 0) return;
    any_ = true;
    if (counts.of.size() > nodes_) {
      apart_.push_back({&counts, weight});
    } else {
      sums_.For(counts.topology->key, index).Add(counts, weight);
    }
  }
  /// Whether any pod was counted.
  bool any() const { return any_; }
  /// The sums at the nodes, same order; a node without a key has nothing of it.
  void At(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const {
    std::fill(scores.begin(), scores.end(), 0);
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      AddTo(nodes, *sums_[k].topology, sums_[k].of, 1, scores);
    }
    for (const Weighted& one : apart_) {
      AddTo(nodes, *one.counts->topology, one.counts->of, one.weight, scores);
    }
  }

 private:
  struct Weighted {
    const DomainCounts* counts;
    std::int64_t weight;
  };

  template <typename Counts>
  static void AddTo(std::span<const NodeId> nodes, const Topology& topology, const Counts& of,
                    std::int64_t weight, std::span<std::int64_t> scores) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::size_t node = Index(nodes[i]);
      if (topology.has[node] != 0) scores[i] += weight * of[Index(topology.domain[node])];
    }
  }

  std::size_t nodes_ = 0;
  SumsByKey sums_;
  std::vector<Weighted> apart_;
  bool any_ = false;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_PLUGINS_TOPOLOGY_SCORES_H_
