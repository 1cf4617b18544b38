#ifndef SCHEDLENS_REFERENCE_READINGS_H_
#define SCHEDLENS_REFERENCE_READINGS_H_

// A window leaves its scenario partly open: whether pods come together inside a scrape interval,
// what the client's limit is where no backlog lasted, which part of a bind is the API server's,
// whether unmeasured time is the loop's. Each way to read it is replayed; what contradicts the data
// is dropped, and what is left is the uncertainty of every prediction.

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

/// The fitted scenario read in every way that the window leaves open, replayed with `seeds` seeds
/// (the others with fewer). Reading for the pods' time drops what misses it too. Where a limit is
/// searched for, about `searched` attempts are played.
Readings ReadWindow(const Investigation& investigation, const Fitted& fitted,
                    const ProvenWindow& proven, std::size_t seeds, double searched = 800'000);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_READINGS_H_
