#pragma once

#include "replay/readings.h"

namespace schedlens {

/// A coarse replay: the attempts of one that the scheduler played, timed anew. What each took of
/// its own stays; how long it waited for the loop, the dispatcher and the client's limiter follows
/// from when the pods come and what the limit is. A hundredth of a replay's cost.
class Retimer {
 public:
  /// Of `result`, which is `fitted` or its start, played.
  Retimer(const Fitted& fitted, const sim::SimulationResult& result);

  /// e2e seconds of scheduled attempts, ascending, in a reading of the same scenario with other
  /// arrivals, another limit, a bind in the same form or unmeasured time on the loop. Pods come in
  /// the order of the played ones, which are taken again where there are more.
  std::vector<double> Attempts(const Fitted& reading) { return Ask(reading, &Asked::start); }
  /// Seconds of bound pods from the queue to the binding, of those that never waited for a node.
  std::vector<double> Pods(const Fitted& reading) { return Ask(reading, &Asked::added); }

 private:
  /// What an attempt took of its own.
  struct Taken {
    sim::Nanos loop = 0;
    sim::Nanos before = 0;  ///< from the loop to its request
    sim::Nanos request = 0, after = 0;
    bool asks = false;  ///< the API server, through the client's limiter
    bool bound = false;
  };
  /// An attempt that has left the loop.
  struct Asked {
    sim::Nanos at = 0;
    sim::Nanos start = 0, added = 0;
    const Taken* taken = nullptr;
  };
  /// What the loop did with a reading's pods: the same under every limit.
  struct Line {
    std::vector<CountedArrivals> arrivals;
    int group = 1;
    sim::Nanos more_on_loop = 0;
    std::vector<Asked> asked;  ///< in the order of their requests
  };

  const Line& LineOf(const Fitted& reading);
  /// Seconds since `from` of those that end inside the window.
  std::vector<double> Ask(const Fitted& reading, sim::Nanos Asked::*from);

  const sim::Costs costs_;
  /// Of the baseline and of the window, scheduled and failed.
  std::array<std::vector<Taken>, 4> taken_;
  std::deque<Line> lines_;  ///< those of the readings so far
};

/// What the scheduler played is the start of what was asked for; of the rest the waits are worked
/// out (Retimer). e2e seconds of the window's scheduled attempts, ascending.
struct WorkedOut {
  std::vector<double> seconds;
  std::vector<double> again;  ///< of the played part: its gap to what was played is the error
};

/// One replay, and what of it lies outside what is proven about the window.
struct Replayed {
  Fitted fitted;
  std::unique_ptr<Source> source = {};
  std::vector<double> seconds = {};  ///< e2e of the window's scheduled attempts in it, ascending
  double judged = 0;                 ///< attempts, with those that `miss` and `open` needed besides
  std::optional<Miss> miss = {};     ///< for certain
  std::optional<Miss> open = {};     ///< a quantile lies outside, but by no more than chance allows
  std::optional<WorkedOut> worked_out = {};
};

/// The replay of the likeliest reading: the plain one unless it misses and another does not. At
/// most some thousand attempts are played, however many there were.
Replayed ReplayLikeliest(const Investigation& investigation);

/// Replays the investigation in the reference scheduler and runs the same diagnosis on its metrics.
/// Of an incident of many attempts a part is played; the note says how many, and the gap that is
/// allowed grows by what fewer leave open. Where attempts wait for each other at the client's limit
/// the waits of the others are worked out from the played ones, and the gap grows by what that is
/// wrong by. Where a part's quantile lies outside what is proven, but not for certain, as many more
/// are played to decide, and the note says what even these leave open. Distance: the largest gap
/// between the two e2e distributions of scheduled attempts at bucket bounds. "explained": the gap
/// is within what sampling and buckets allow, the same cause comes first, binds come in the same
/// dispersion, and the incident would have fired where the quiet period would not, and no quantile
/// of the replay lies outside what is proven about the window: then "undecidable". "partly": one of
/// the others fails. "undecidable": too few attempts, or the cause is in failed attempts, which are
/// not replayed. Without an incident: the healthy one alone.
CrossCheck CrossCheckByReplay(const Investigation& investigation, const QuerySet& queries);

}  // namespace schedlens
