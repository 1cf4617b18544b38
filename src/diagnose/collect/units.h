#pragma once

// Which targets are one scheduler. Several schedulers are never judged together: their attempts
// have nothing in common, and the quiet ones hide what the sick one does.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "diagnose/collect/facts.h"
#include "promql/ast.h"

namespace schedlens {

/// The replicas of one leader election: at most one makes attempts at a time.
struct SchedulerUnit {
  std::vector<Labels::Pair> labels;       ///< that tell it from the other units; "": has none
  std::vector<promql::Matcher> matchers;  ///< that pick its targets and no others
  std::vector<std::size_t> targets;       ///< indexes into Facts::targets, ascending
};

/// The units of the facts, in the order of their targets. Targets are of different units when they
/// differ in cluster, job, namespace or a label of `kept`, and when both make attempts at the same
/// time without handing over: a change of leader overlaps by a scrape or two.
std::vector<SchedulerUnit> UnitsOf(const Facts& facts, const std::set<std::string>& kept = {});

}  // namespace schedlens
