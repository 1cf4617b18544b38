#ifndef SCHEDLENS_SIM_PLUGINS_SPREAD_VALUES_H_
#define SCHEDLENS_SIM_PLUGINS_SPREAD_VALUES_H_

// Hard spread constraints judged by value of their keys instead of by node: of a few values (zones)
// each is judged once an attempt.

#include <array>
#include <cstddef>
#include <vector>

#include "sim/framework/plugin.h"
#include "sim/plugins/spread_group.h"

namespace schedlens::sim::core {

class SpreadValues {
 public:
  void Clear() { judged_.clear(); }
  /// Nothing is judged: each node must be.
  bool empty() const { return judged_.empty(); }
  /// A constraint; `may_skew` tells of a count whether one more pod may go there. False, and
  /// nothing is judged, if the key has too many values for that to pay.
  template <typename MaySkew>
  bool Judge(const SpreadGroup& group, const MaySkew& may_skew) {
    if (group.counts.size() > kFew) {
      Clear();
      return false;
    }
    Judged& judged = judged_.emplace_back();
    judged.topology = group.topology;
    for (std::size_t i = 0; i < group.counts.size(); ++i) {
      judged.over[i] = !may_skew(group.counts[i]);
    }
    return true;
  }
  /// The first constraint's refusal, in the order they were judged.
  Code At(NodeId node) const {
    for (const Judged& judged : judged_) {
      if (judged.topology->has[Index(node)] == 0) return Code::kUnresolvable;
      if (judged.over[Index(judged.topology->domain[Index(node)])]) return Code::kUnschedulable;
    }
    return Code::kSuccess;
  }

 private:
  static constexpr std::size_t kFew = 32;
  struct Judged {
    const Topology* topology;
    std::array<bool, kFew> over;  // by domain
  };
  std::vector<Judged> judged_;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_PLUGINS_SPREAD_VALUES_H_
