#ifndef SCHEDLENS_SIM_PLUGINS_TOPOLOGY_SUMS_H_
#define SCHEDLENS_SIM_PLUGINS_TOPOLOGY_SUMS_H_

// Sums over the nodes that share the value of a topology key.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/cluster/pod_index.h"

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
  std::size_t size() const { return used_; }
  const TopologySums& operator[](std::size_t i) const { return sums_[i]; }

  TopologySums& For(Id key, PodIndex& index) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (sums_[i].topology->key == key) return sums_[i];
    }
    if (used_ == sums_.size()) sums_.emplace_back();
    TopologySums& sums = sums_[used_++];
    sums.topology = &index.TopologyOf(key);
    sums.of.assign(Index(sums.topology->domains), 0);
    return sums;
  }
  const TopologySums* Find(Id key) const {
    for (std::size_t i = 0; i < used_; ++i) {
      if (sums_[i].topology->key == key) return &sums_[i];
    }
    return nullptr;
  }
  /// Every node has every key, and a sum above 0 for it.
  bool AllPositive(std::int32_t nodes) const {
    for (std::size_t i = 0; i < used_; ++i) {
      const auto& of = sums_[i].of;
      if (sums_[i].topology->nodes_with_key != nodes) return false;
      if (std::any_of(of.begin(), of.end(), [](auto n) { return n <= 0; })) return false;
    }
    return true;
  }
  bool AllZero() const {
    for (std::size_t i = 0; i < used_; ++i) {
      if (std::any_of(sums_[i].of.begin(), sums_[i].of.end(), [](auto n) { return n != 0; })) {
        return false;
      }
    }
    return true;
  }

 private:
  std::vector<TopologySums> sums_;
  std::size_t used_ = 0;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_PLUGINS_TOPOLOGY_SUMS_H_
