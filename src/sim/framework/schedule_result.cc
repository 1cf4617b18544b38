#include "sim/framework/algorithm.h"
#include "sim/framework/framework.h"

namespace schedlens::sim::core {

void Reset(const Framework& framework, ScheduleResult& result) {
  result.outcome = Outcome::kUnschedulable;
  result.node = kNone;
  result.searched = result.evaluated = result.feasible = result.tied = 0;
  result.top_score = 0;
  result.prefilter_rejected = result.nominated_node_shortcut = false;
  result.rejecting_prefilter = result.rejecting_nominated = kNone;
  const auto size = [&](ExtensionPoint point) { return framework.At(point).size(); };
  result.rejected.assign(size(ExtensionPoint::kFilter), 0);
  result.unresolvable.assign(size(ExtensionPoint::kFilter), 0);
  result.work.filter_calls.assign(size(ExtensionPoint::kFilter), 0);
  result.work.score_calls.assign(size(ExtensionPoint::kScore), 0);
  result.work.prefilter_ran.assign(size(ExtensionPoint::kPreFilter), 0);
  result.work.prescore_ran.assign(size(ExtensionPoint::kPreScore), 0);
  result.work.filter_passes = 0;
  result.work.scored = false;
}

}  // namespace schedlens::sim::core
