#pragma once

// What the data prove about the window that is replayed, and whether a replay agrees with it. A
// window leaves its scenario partly open: whether pods come together inside a scrape interval, what
// the client's limit is where no backlog lasted, which part of a bind is the API server's, whether
// unmeasured time is the loop's. Each way to read it is replayed; what contradicts the data is
// dropped, and what is left is the uncertainty of every prediction.

#include <functional>
#include <optional>
#include <vector>

#include "replay/fit.h"
#include "replay/runs.h"

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

  /// A message with all but the high end of what is proven.
  Message Tell(std::string id) const;
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

/// Every way in which the pods of a scrape interval may have come, by how their number varies from
/// interval to interval; the first one evenly.
std::vector<Fitted> Groupings(const Fitted& plain);

struct Reading {
  Fitted fitted;
  Runs before;
};

struct Readings {
  /// Agreeing with the data, the likeliest first. Where none agrees: the one that comes nearest.
  std::vector<Reading> kept;
  std::optional<Miss> e2e, all, pod;  ///< what even all of them together miss
  bool groups_differ = false;         ///< the data do not tell whether pods come together
};

/// What a limit that was not measured may miss each rank by: the next one of the search is as near.
inline constexpr double kSearchSlack = 0.15;

/// How a reading is replayed: by the scheduler, if nothing else is said.
struct ReadingPlayer {
  std::function<Runs(const Fitted& reading, std::size_t seeds)> play =
      [](const Fitted& reading, std::size_t seeds) { return PlayRuns(reading, 1, seeds); };
  /// Where a limit is searched for, about so many attempts are played.
  double searched = 800'000;
  /// Whether it can play a roll-out.
  bool rolls_out = true;
};

/// The fitted scenario read in every way that the window leaves open, replayed with `seeds` seeds
/// (the others with fewer). Reading for the pods' time drops what misses it too.
Readings ReadWindow(const Investigation& investigation, const Fitted& fitted,
                    const ProvenWindow& proven, std::size_t seeds,
                    const ReadingPlayer& player = {});

}  // namespace schedlens
