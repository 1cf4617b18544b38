#ifndef SCHEDLENS_REFERENCE_LIKELIEST_REPLAY_H_
#define SCHEDLENS_REFERENCE_LIKELIEST_REPLAY_H_

#include <memory>
#include <optional>
#include <vector>

#include "contract/source.h"
#include "reference/proven_window.h"

namespace schedlens {

/// What the scheduler played is the start of what was asked for; of the rest the waits are worked
/// out (retimed.h).
struct WorkedOut {
  std::vector<double> seconds;  ///< e2e of the window's scheduled attempts, ascending
  /// Of the played part: by the scheduler, and worked out. Their gap is the error.
  std::vector<double> played, again;
};

/// One replay, and what of it lies outside what is proven about the window.
struct Replayed {
  Fitted fitted;
  std::unique_ptr<Source> source;
  double attempts = 0;       ///< scheduled ones of the window, in `source`
  double judged = 0;         ///< with those that `miss` and `open` needed besides
  std::optional<Miss> miss;  ///< for certain
  std::optional<Miss> open;  ///< a quantile that lies outside, but by no more than chance allows
  std::optional<WorkedOut> worked_out;
};

/// The replay of the likeliest reading: the plain one unless it misses and another does not. At
/// most some thousand attempts are played, however many there were.
Replayed ReplayLikeliest(const Investigation& investigation);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_LIKELIEST_REPLAY_H_
