#pragma once

// The most seconds that any m attempts of a window can have in a stage.

#include "base/not_finite.h"
#include "base/text.h"
#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {

// The largest (and the least) total that the top m of some observations can have, when all that is
// known is their buckets and the sums of independent cells. The engine room of the tail's bounds.

/// The observations of one cell: how many inside each bucket, and their total in seconds (NaN when
/// unknown).
struct CellView {
  std::span<const double> bounds;
  std::span<const double> buckets;
  double sum = 0;
};

/// So many observations, each worth as many seconds.
struct EqualRun {
  double count = 0, value = 0;
};
using EqualRuns = std::vector<EqualRun>;

/// Upper bound of the total of the largest `m` of all observations added.
///
/// Within a cell of n observations the top j total at most
///   min( top j at upper edges,  sum - lower edges of the other n - j ),
/// both concave in j; cells are independent, so the best split of m over cells is greedy.
class TopTotal {
 public:
  explicit TopTotal(std::size_t m) : m_(m) {}

  /// At most `most` of the cell's observations count. With `whole`, each observation is part of an
  /// observation of `whole` in the same cell, which caps the top j too.
  void AddCell(const CellView& cell, const CellView* whole = nullptr,
               std::size_t most = std::numeric_limits<std::size_t>::max());
  /// A part of `whole` known only by its total: any j of it have at most min(seconds, top j of
  /// `whole`).
  void AddPart(const CellView& whole, double seconds,
               std::size_t most = std::numeric_limits<std::size_t>::max());

  /// Infinity when an observation in an open bucket without a sum is among them, or when more than
  /// a trillion observations count; 0 when empty.
  double Max() const;

 private:
  bool MayAdd(const CellView& cell, std::size_t most);

  std::size_t m_;
  double added_ = 0;
  EqualRuns runs_;  // what each cell's 1st, 2nd, ... largest observation adds
};

/// What rounding may have done to a sum of so many seconds.
inline double RoundingSlack(double sum) { return 1e-9 * std::max(1.0, std::abs(sum)); }

/// A lower bound of the total of the largest `m` observations of all cells together: in each cell
/// at least their lower edges, and at least the sum less the upper edges of the rest. 0 when more
/// than a trillion observations count.
double LeastTopTotal(const std::vector<CellView>& cells, std::size_t m);

// The populations that an attempt's time is pieced together from, cell by cell on common grids:
// what the tail's bounds and its estimate both start from.

/// Cells of one population on every target's grid.
using OnGridCells = std::vector<GridCells>;

/// The populations of one window; a population that the release lacks has empty bounds.
struct TailPopulations {
  std::vector<ScrapeGrid> grids;
  OnGridCells e2e, failed, algorithm, binding, permit_wait, bind_failed;
  /// All statuses; of the points that are stages, and Unreserve.
  kube::EnumMap<kube::ExtensionPoint, OnGridCells> points;
  kube::PartialEnumMap<kube::AttemptResult, OnGridCells> results;  ///< e2e by result
};
TailPopulations TailPopulationsOf(std::span<const Target> targets, const WindowIncreases& cells);

/// One cell of a population; valid as long as the population.
CellView View(const GridCells& cells, std::size_t cell);

/// Calls visit(grid, cell) for every cell of every grid, in order of time within a grid.
template <typename Visit>
void ForEachCell(const std::vector<ScrapeGrid>& grids, Visit visit) {
  for (std::size_t g = 0; g < grids.size(); ++g) {
    for (std::size_t i = 0; i < grids[g].cells(); ++i) visit(g, i);
  }
}

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
