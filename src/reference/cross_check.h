#ifndef SCHEDLENS_REFERENCE_CROSS_CHECK_H_
#define SCHEDLENS_REFERENCE_CROSS_CHECK_H_

#include <memory>
#include <optional>
#include <vector>

#include "analysis/diagnose/diagnose.h"
#include "contract/source.h"
#include "reference/readings.h"

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

/// Replays the investigation in the reference scheduler and runs the same diagnosis on its metrics.
/// Of an incident of many attempts a part is played; the note says how many, and the gap that is
/// allowed grows by what fewer leave open. Where attempts wait for each other at the client's limit
/// the waits of the others are worked out from the played ones, and the gap grows by what that is
/// wrong by. Where a part's quantile lies outside what is proven, but not for certain, as many more
/// are played to decide, and the note says what even these leave open.
/// Distance: the largest gap between the two e2e distributions of scheduled attempts at bucket
/// bounds. "explained": the gap is within what sampling and buckets allow, the same cause comes
/// first, binds come in the same dispersion, and the incident would have fired where the quiet
/// period would not, and no quantile of the replay lies outside what is proven about the window:
/// then "undecidable". "partly": one of the others fails. "undecidable": too few attempts, or the
/// cause is in failed attempts, which are not replayed. Without an incident the healthy
/// distribution is checked alone.
CrossCheck CrossCheckByReplay(const Investigation& investigation, const QuerySet& queries);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_CROSS_CHECK_H_
