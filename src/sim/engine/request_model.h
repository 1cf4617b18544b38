#ifndef SCHEDLENS_SIM_ENGINE_REQUEST_MODEL_H_
#define SCHEDLENS_SIM_ENGINE_REQUEST_MODEL_H_

// Two queues behind an API server's door: the seats of a priority level, and etcd's log.

#include <map>
#include <vector>

#include "sim/base/random.h"
#include "sim/base/time.h"
#include "sim/scenario/scenario.h"

namespace schedlens::sim {

/// The seats of the scheduler's priority level, shared with others; who comes first sits first.
class SeatQueue {
 public:
  /// A request of somebody else.
  struct Visit {
    Nanos arrival = 0;
    Nanos start = 0;
    Nanos end = 0;  ///< `start` if it gave up
    bool gave_up = false;
  };
  /// Somebody else's requests wait no longer than this, and leave.
  static constexpr Nanos kPatience = 15 * kSecond;

  /// Lets in what came until `t`, never before an earlier call's; tells of each in `others`.
  void AdvanceTo(Nanos t, const RequestPath& path, Random& random, std::vector<Visit>* others);
  /// When a request that came at `t`, the last AdvanceTo's, gets its seat.
  Nanos Start(Nanos t) const;
  /// That request keeps the seat until `end`.
  void Hold(Nanos end);

 private:
  void Resize(int seats);

  std::vector<Nanos> free_at_;  // ascending; empty: no limit
  Nanos next_other_ = 0;
  double rate_ = 0;
};

/// The API server's processors: everything that runs gets an equal share of them.
class SharedCores {
 public:
  /// A list by somebody else that has ended.
  struct Read {
    Nanos end = 0;
    Nanos length = 0;
    double cpu_seconds = 0;
  };
  /// More of them at a time are turned away.
  static constexpr std::size_t kMostReaders = 64;

  /// Plays what others do until `t`, never before an earlier call's; tells of what ended in
  /// `reads`.
  void AdvanceTo(Nanos t, const RequestPath& path, Random& random, std::vector<Read>* reads);
  /// How many times longer a request's work takes, if it starts at the last AdvanceTo's time.
  double Stretch(const RequestPath& path) const;
  /// How long a goroutine that is woken then waits for a processor, on average.
  Nanos WakeUp(const RequestPath& path) const;

 private:
  struct Reader {
    Nanos start = 0;
    double cost = 0;
    double left = 0;
  };
  void Run(Nanos until, int cores, std::vector<Read>* reads);

  std::vector<Reader> readers_;
  Nanos now_ = 0;
  Nanos next_ = 0;
  double rate_ = 0;
};

/// Group commit: a write waits for the fsync that runs, then for the one that takes all the writes
/// that have come meanwhile. Writes need not come in order of time.
class CommitLog {
 public:
  struct Fsync {
    Nanos end = 0;
    Nanos length = 0;
  };
  /// When a write that comes at `t` is on disk; tells of an fsync that it caused in `caused`. A
  /// write whose own fsync would still run when one begins that is known already joins that one.
  Nanos Write(Nanos t, const Distribution& fsync, Random& random, std::vector<Fsync>* caused);
  /// No write will come before `t` any more.
  void Forget(Nanos t);

 private:
  std::map<Nanos, Nanos> fsyncs_;  // start to end, one at a time
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_REQUEST_MODEL_H_
