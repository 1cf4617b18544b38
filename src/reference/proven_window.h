#ifndef SCHEDLENS_REFERENCE_PROVEN_WINDOW_H_
#define SCHEDLENS_REFERENCE_PROVEN_WINDOW_H_

// What the data prove about the window that is replayed, and whether a replay agrees with it.

#include <optional>
#include <vector>

#include "reference/runs.h"

namespace schedlens {

/// Where one quantile of what was measured must lie.
struct ProvenAt {
  double q = 0;
  Interval interval;
};
struct ProvenWindow {
  std::vector<ProvenAt> e2e, all, pod;  ///< empty where the histogram is missing
};

/// The proven intervals of the part of the window that is played, at `quantiles`; for scheduled
/// attempts as narrow as the diagnosis has them where all of the window is played.
ProvenWindow ProveWindow(const Investigation& investigation, const Fitted& fitted,
                         const std::vector<double>& quantiles);

/// A quantile that was replayed outside what is proven.
struct Miss {
  double q = 0;
  Interval proven;
  Measured replayed;
  /// How far the intervals lie apart: a factor over 1.
  double factor = 1;
};

/// The worst miss of the runs; nothing where every interval touches the proven one. An empty run
/// misses nothing. `slack` is left to each rank, of the smaller part that it divides.
std::optional<Miss> WorstMiss(const std::vector<ProvenAt>& proven,
                              const std::vector<std::vector<double>>& runs, double slack = 0);

/// The first quantile of the run that lies outside what is proven about it by more than buckets
/// hide from the fit, whatever chance allows; nothing for an empty run. `run`: seconds, ascending.
std::optional<Miss> Outlying(const std::vector<ProvenAt>& proven, const std::vector<double>& run);

/// WorstMiss for several sets of runs, of which the lowest and the highest count.
std::optional<Miss> WorstMissOfAll(const std::vector<ProvenAt>& proven,
                                   const std::vector<const std::vector<std::vector<double>>*>& sets,
                                   double slack = 0);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_PROVEN_WINDOW_H_
