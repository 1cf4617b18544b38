#pragma once

// Sums over the nodes that share the value of a topology key, and weighted ones at the nodes that
// are scored.

#include <algorithm>

#include "scheduler/cluster/cluster.h"

namespace schedlens::sim::core {

/// Counts or weights by value of one topology key.
struct TopologySums {
  const Topology* topology = nullptr;
  std::vector<std::int64_t> of;  // by domain

  bool Has(NodeId node) const { return topology->has[Index(node)] != 0; }
  std::int64_t At(NodeId node) const { return of[Index(topology->domain[Index(node)])]; }
  std::int64_t& At(NodeId node) { return of[Index(topology->domain[Index(node)])]; }
  void Add(const DomainCounts& counts, std::int64_t weight) {
    for (std::size_t i = 0; i < counts.of.size(); ++i) of[i] += weight * counts.of[i];
  }
};

/// Sums of several keys; buffers are kept from attempt to attempt.
class SumsByKey {
 public:
  void Clear() { used_ = 0; }
  std::span<const TopologySums> all() const { return {sums_.data(), used_}; }

  TopologySums& For(Id key, PodIndex& index) {
    if (const TopologySums* known = Find(key))
      return sums_[static_cast<std::size_t>(known - sums_.data())];
    if (used_ == sums_.size()) sums_.emplace_back();
    TopologySums& sums = sums_[used_++];
    sums.topology = &index.TopologyOf(key);
    sums.of.assign(Index(sums.topology->domains), 0);
    return sums;
  }
  const TopologySums* Find(Id key) const {
    for (const TopologySums& sums : all()) {
      if (sums.topology->key == key) return &sums;
    }
    return nullptr;
  }
  /// Whether any sum is above 0 at the node.
  bool AnyAt(NodeId node) const {
    return std::ranges::any_of(
        all(), [&](const TopologySums& sums) { return sums.Has(node) && sums.At(node) > 0; });
  }
  /// Every node has every key, and a sum above 0 for it.
  bool AllPositive(std::int32_t nodes) const {
    return std::ranges::all_of(all(), [&](const TopologySums& sums) {
      return sums.topology->nodes_with_key == nodes &&
             std::ranges::all_of(sums.of, [](auto n) { return n > 0; });
    });
  }
  bool AllZero() const {
    return std::ranges::all_of(all(), [](const TopologySums& sums) {
      return std::ranges::all_of(sums.of, [](auto n) { return n == 0; });
    });
  }

 private:
  std::vector<TopologySums> sums_;
  std::size_t used_ = 0;
};

/// A key with fewer values than there are nodes to score (zones) is summed up by value; of one with
/// more (hostnames) only the values of the scored nodes are looked at.
class TopologyScores {
 public:
  /// Forgets all counts; `nodes` will be scored.
  void Clear(std::size_t nodes) {
    nodes_ = nodes;
    sums_.Clear();
    apart_.clear();
  }
  /// `counts` is read in At() again: the cluster must not change before.
  void Add(const DomainCounts& counts, std::int64_t weight, PodIndex& index) {
    if (counts.pods == 0) return;
    if (counts.of.size() > nodes_) {
      apart_.push_back({&counts, weight});
    } else {
      sums_.For(counts.topology->key, index).Add(counts, weight);
    }
  }
  /// Whether any pod was counted.
  bool any() const { return !sums_.all().empty() || !apart_.empty(); }
  /// The sums at the nodes, same order; a node without a key has nothing of it.
  void At(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const {
    std::ranges::fill(scores, 0);
    for (const TopologySums& sums : sums_.all()) AddTo(nodes, *sums.topology, sums.of, 1, scores);
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
};

}  // namespace schedlens::sim::core
