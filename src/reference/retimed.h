#ifndef SCHEDLENS_REFERENCE_RETIMED_H_
#define SCHEDLENS_REFERENCE_RETIMED_H_

// A coarse replay: the attempts of one that the scheduler played, timed anew. What each took of its
// own stays; how long it waited for the loop, the dispatcher and the client's limiter follows from
// when the pods come and what the limit is. A hundredth of a replay's cost.

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "reference/fit.h"
#include "sim/engine/simulation.h"

namespace schedlens {

class Retimer {
 public:
  /// Of `result`, which is `fitted` or its start, played.
  Retimer(const Fitted& fitted, const sim::SimulationResult& result);

  /// e2e seconds of scheduled attempts, ascending, in a reading of the same scenario with other
  /// arrivals, another limit, a bind in the same form or unmeasured time on the loop. Pods come in
  /// the order of the played ones, which are taken again where there are more.
  std::vector<double> Attempts(const Fitted& reading);
  /// Seconds of bound pods from the queue to the binding, of those that did not wait for a node
  /// before.
  std::vector<double> Pods(const Fitted& reading);

 private:
  /// What an attempt took of its own.
  struct Taken {
    sim::Nanos loop = 0;
    sim::Nanos before = 0;  ///< from the loop to its request
    sim::Nanos request = 0;
    sim::Nanos after = 0;
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

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_RETIMED_H_
