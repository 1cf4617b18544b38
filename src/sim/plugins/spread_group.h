#ifndef SCHEDLENS_SIM_PLUGINS_SPREAD_GROUP_H_
#define SCHEDLENS_SIM_PLUGINS_SPREAD_GROUP_H_

// What PodTopologySpread counts in one attempt for constraints that share their counts.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/cluster/pod_index.h"

namespace schedlens::sim::core {

/// Matching pods by topology value.
struct SpreadGroup {
  const Topology* topology = nullptr;
  std::vector<std::int64_t> counts;   // by domain
  std::vector<std::uint8_t> present;  // domain takes part
  std::int64_t lowest = 0;
  std::int32_t domains = 0;

  /// Hostnames are counted by node elsewhere: nothing is kept by value.
  void Reset(const Topology& of, bool by_value = true) {
    topology = &of;
    const std::size_t values = by_value ? Index(of.domains) : 0;
    counts.assign(values, 0);
    present.assign(values, 0);
    domains = 0;
  }
  void Include(NodeId node) {
    std::uint8_t& in = present[Index(topology->domain[Index(node)])];
    domains += in == 0;
    in = 1;
  }
  void FindLowest() {
    lowest = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (present[i] != 0) lowest = std::min(lowest, counts[i]);
    }
  }
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_PLUGINS_SPREAD_GROUP_H_
