#ifndef SCHEDLENS_REFERENCE_RUNS_H_
#define SCHEDLENS_REFERENCE_RUNS_H_

// Replays of a fitted scenario, and what they showed inside the window.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/fit.h"

namespace schedlens {

/// What the pods that arrive bring to the parts of a scheduler that serve one after the other,
/// relative to what these can take: above 1 the wait grows as long as it lasts.
struct Load {
  double loop = 0;       ///< seconds of the loop for the pods of a second
  double client = 0;     ///< requests for the pods of a second, of the limiter's qps
  double throttled = 0;  ///< of the scheduled attempts' time, the wait for the limiter ...
  double extender = 0;   ///< ... and the bind of an extender
};

/// Seconds of each replay, ascending, of what ended inside the window.
struct Runs {
  std::vector<std::vector<double>> e2e;  ///< scheduled attempts
  std::vector<std::vector<double>> all;  ///< attempts of every result
  std::vector<std::vector<double>> pod;  ///< bound pods, from the queue to the binding
  std::vector<Load> loads;

  void Add(const Runs& other);
  /// The mean over the replays.
  Load MeanLoad() const;
};

/// Plays it once with each of `seeds` seeds from `first` on.
Runs PlayRuns(const Fitted& fitted, std::uint64_t first, std::size_t seeds);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_RUNS_H_
