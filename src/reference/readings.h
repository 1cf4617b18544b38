#ifndef SCHEDLENS_REFERENCE_READINGS_H_
#define SCHEDLENS_REFERENCE_READINGS_H_

// A window leaves its scenario partly open: whether pods come together inside a scrape interval,
// what the client's limit is where no backlog lasted, which part of a bind is the API server's,
// whether unmeasured time is the loop's. Each way to read it is replayed; what contradicts the data
// is dropped, and what is left is the uncertainty of every prediction.

#include <functional>
#include <optional>
#include <vector>

#include "reference/proven_window.h"
#include "reference/runs.h"

namespace schedlens {

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

/// How a reading is replayed.
struct ReadingPlayer {
  std::function<Runs(const Fitted& reading, std::size_t seeds)> play;
  /// Where a limit is searched for, about so many attempts are played.
  double searched = 800'000;
  /// Whether it can play a roll-out.
  bool rolls_out = true;
};
/// By the scheduler, with PlayRuns.
ReadingPlayer PlayedByScheduler();

/// The fitted scenario read in every way that the window leaves open, replayed with `seeds` seeds
/// (the others with fewer). Reading for the pods' time drops what misses it too.
Readings ReadWindow(const Investigation& investigation, const Fitted& fitted,
                    const ProvenWindow& proven, std::size_t seeds,
                    const ReadingPlayer& player = PlayedByScheduler());

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_READINGS_H_
