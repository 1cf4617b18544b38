#include "analysis/breakdown/stage_change.h"

namespace schedlens {

double RunsOf(const TimeBreakdown& breakdown, kube::Stage stage) {
  const double count = breakdown.counts.Get(stage);
  return count > 0 ? count : breakdown.e2e.count;
}

StageChanges CompareBreakdowns(const TimeBreakdown& now, const TimeBreakdown& baseline) {
  StageChanges changes;
  if (baseline.scheduled() <= 0) return changes;
  const double scale = now.scheduled() / baseline.scheduled();
  for (const auto& [stage, seconds] : now.seconds) {
    const double before = baseline.Seconds(stage) * scale;
    const double n1 = RunsOf(now, stage), n0 = RunsOf(baseline, stage) * scale;
    const double m1 = n1 > 0 ? seconds / n1 : 0;
    const double m0 = n0 > 0 ? before / n0 : m1;
    changes[stage] = {seconds - before, (n1 - n0) * (m1 + m0) / 2, (m1 - m0) * (n1 + n0) / 2};
  }
  return changes;
}

}  // namespace schedlens
