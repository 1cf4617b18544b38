#ifndef SCHEDLENS_ANALYSIS_TAIL_STAGE_TOPS_H_
#define SCHEDLENS_ANALYSIS_TAIL_STAGE_TOPS_H_

// The most seconds that any m attempts of a window can have in a stage.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "analysis/breakdown/time_breakdown.h"
#include "analysis/tail/populations.h"
#include "model/seconds.h"

namespace schedlens {

/// Seconds by stage.
using Tops = kube::PartialEnumMap<kube::Stage, double>;

/// A count as a number of attempts, rounded up where a scrape interval was cut; a trillion at most.
inline std::size_t RoundUp(double count) {
  return CutTo<std::size_t>(std::ceil(std::min(1e12, count)));
}

/// Runs of the algorithm, failed attempts' included.
double AlgorithmTop(const TailPopulations& p, const TimeBreakdown& breakdown, std::size_t m);

/// `ends_with_e2e`: each observation is part of one of e2e in the same cell.
double PointTop(const TailPopulations& p, const OnGridCells& point, std::size_t m,
                bool ends_with_e2e);

double BindTop(const TailPopulations& p, const TimeBreakdown& breakdown, std::size_t m);

/// Binding without its plugins: an extender's bind and what follows. Needs `has_binding`.
double BindUnmeasuredTop(const TailPopulations& p, std::size_t m);

/// A stage that is observed before the attempt ends: all but bind and the remainders.
bool IsEarly(const kube::StageRow& row);

/// What the top attempts can have of every early stage; `most(row)` says how many attempts.
template <typename Most>
Tops EarlyTops(const TailPopulations& p, const TimeBreakdown& breakdown, Most most) {
  Tops tops;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (!IsEarly(row)) continue;
    const std::size_t m = most(row);
    double& top = tops[row.stage];
    if (m == 0) continue;
    if (row.stage == kube::Stage::kAlgorithm) {
      top = AlgorithmTop(p, breakdown, m);
    } else if (row.stage == kube::Stage::kPermitWait) {
      top = PointTop(p, p.permit_wait, m, false);
    } else {
      top = PointTop(p, p.points[*row.point], m, false);
    }
  }
  return tops;
}

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_STAGE_TOPS_H_
