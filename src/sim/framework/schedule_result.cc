#include "sim/framework/algorithm.h"
#include "sim/framework/framework.h"

namespace schedlens::sim::core {

void Reset(const Framework& framework, ScheduleResult& result) {
  result.outcome = Outcome::kUnschedulable;
  result.node = kNone;
  result.searched = result.evaluated = result.feasible = result.tied = 0;
  result.top_score = 0;
  result.prefilter_rejected = result.nominated_node_shortcut = false;
  result.hint = kNone;
  result.hint_taken = false;
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

void NotePreFilter(const Framework& framework, ScheduleResult& result) {
  const auto& plugins = framework.At(ExtensionPoint::kPreFilter);
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    if (result.rejecting_prefilter >= 0 && i > Index(result.rejecting_prefilter)) break;
    result.work.prefilter_ran[i] = 1;
  }
}

void CountCalls(ScheduleResult& result) {
  std::int32_t left = result.evaluated;
  for (std::size_t i = 0; i < result.rejected.size(); ++i) {
    result.work.filter_calls[i] = left;
    left -= result.rejected[i];
  }
}

void SelectHost(std::span<const NodeId> nodes, std::span<const std::int64_t> totals, Random& random,
                ScheduleResult& result) {
  result.top_score = totals[0];
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (totals[i] > result.top_score) {
      result.top_score = totals[i];
      result.node = nodes[i];
      result.tied = 1;
    } else if (totals[i] == result.top_score) {
      ++result.tied;
      if (random.Below(static_cast<std::uint32_t>(result.tied)) == 0) result.node = nodes[i];
    }
  }
}

}  // namespace schedlens::sim::core
