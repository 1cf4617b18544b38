#include "stats/threshold.h"

#include <algorithm>
#include <cmath>

namespace schedlens {
namespace {

std::vector<ScrapeIncreases> ChildrenOf(std::span<const LinkedProcess> processes) {
  std::vector<ScrapeIncreases> all;
  for (const LinkedProcess& process : processes) {
    all.insert(all.end(), process.children.begin(), process.children.end());
  }
  return all;
}

/// Bounds that every child has: only there is counting exact.
std::vector<double> CommonBounds(std::span<const ScrapeIncreases> children) {
  std::vector<double> common = UnionOfBounds(children);
  for (const ScrapeIncreases& child : children) {
    if (child.cells() == 0) continue;
    std::vector<double> kept;
    std::set_intersection(common.begin(), common.end(), child.bounds.begin(), child.bounds.end(),
                          std::back_inserter(kept));
    common = kept;
  }
  return common;
}

}  // namespace

ThresholdVerdict JudgeThreshold(std::span<const LinkedProcess> processes, double q,
                                double threshold, std::string_view comparison) {
  ThresholdVerdict out;
  const std::vector<ScrapeIncreases> children = ChildrenOf(processes);
  for (const double bound : CommonBounds(children)) {
    if (!std::isfinite(bound)) continue;
    if (bound <= threshold) out.decidable_below = bound;
    if (bound >= threshold && !out.decidable_above) out.decidable_above = bound;
  }
  out.inside_bucket = out.decidable_below != threshold;
  for (const double bound : UnionOfBounds(children)) {
    if (std::isfinite(bound)) out.top_bound = bound;
  }
  if (out.top_bound) {
    out.can_never_fire = (comparison == ">" && threshold >= *out.top_bound) ||
                         (comparison == ">=" && threshold > *out.top_bound);
  }
  double n = 0;
  bool complete = true;
  bool torn = false;
  for (const ScrapeIncreases& child : children) {
    n += TotalCount(child);
    torn = torn || (child.torn && TotalCount(child) > 0);
    complete = complete && (child.cells() == 0 || std::isinf(child.bounds.back()));
  }
  if (!complete || !(n > 0) || !std::isfinite(n) || !(q >= 0 && q <= 1) || std::isnan(threshold))
    return out;
  if (torn) {
    out.decided = Decided::kUndecidable;
    out.above = {0, n};
    return out;
  }
  out.above = CountAboveLinked(processes, threshold);
  const double rank = n == std::floor(n) ? RankOf(q, n) : q * n;
  if (n - out.above.low < rank) {
    out.decided = Decided::kAbove;
  } else if (n - out.above.high >= rank) {
    out.decided = Decided::kBelow;
  } else {
    out.decided = Decided::kUndecidable;
  }
  return out;
}

}  // namespace schedlens
