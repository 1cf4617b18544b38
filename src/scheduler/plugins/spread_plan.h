#pragma once

// PodTopologySpread's constraints, prepared once for all attempts of a spec.

#include "scheduler/framework/plugin.h"

namespace schedlens::sim::core {

/// A constraint with what is worked out once for all attempts of a spec.
struct PlannedConstraint {
  Id key = 0;
  std::int32_t max_skew = 1, min_domains = 1;
  int tally = 0;                         // counts by node of matching pods
  bool counts = true;                    // false: the selector selects nothing that counts
  bool self = false;                     // the pod matches its own selector
  bool affinity = true, taints = false;  // which nodes take part
  std::size_t group = 0;                 // constraints of one group share their counts
};

/// The constraints of a spec.
struct SpreadPlan {
  std::uint64_t version = ~std::uint64_t{0};
  std::vector<PlannedConstraint> hard, soft;
  std::size_t hard_groups = 0, soft_groups = 0;
  bool all_keys = true;  // soft: nodes without a key are left out
};

class SpreadPlans {
 public:
  explicit SpreadPlans(const PluginContext& context);
  /// The plan of the attempt's spec, made again when the cluster's workloads have changed. Good
  /// until the next call.
  const SpreadPlan& Of(const Attempt& attempt);

 private:
  PlannedConstraint Compile(const Attempt& attempt, const SpreadConstraint& from,
                            const std::vector<PlannedConstraint>& before,
                            std::size_t& groups) const;

  int minor_;
  bool system_defaults_;
  std::vector<SpreadConstraint> defaults_;
  std::vector<SpreadPlan> plans_;  // by spec
};

}  // namespace schedlens::sim::core
