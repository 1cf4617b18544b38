#pragma once

// Queues past an API server's door: the seats of a priority level, its processors, etcd's log.

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "scheduler/base/random.h"
#include "scheduler/scenario/scenario.h"

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
  void AdvanceTo(Nanos t, const RequestPath& path, Random& random, std::vector<Visit>* others) {
    Resize(path.seats);
    const auto gap = [&] { return FromSeconds(random.Exponential() / path.neighbours_rate); };
    if (rate_ != path.neighbours_rate) {
      rate_ = path.neighbours_rate;
      if (rate_ > 0) next_other_ = t + gap();
    }
    while (rate_ > 0 && next_other_ <= t) {
      Visit visit{next_other_, Start(next_other_), 0, false};
      const Nanos cost = FromSeconds(path.neighbours_cost.Sample(random));
      visit.gave_up = visit.start - visit.arrival > kPatience;
      visit.end = visit.gave_up ? visit.start : visit.start + cost;
      if (!visit.gave_up) Hold(visit.end);
      others->push_back(visit);
      next_other_ += gap();
    }
  }
  /// When a request that came at `t`, the last AdvanceTo's, gets its seat.
  Nanos Start(Nanos t) const { return free_at_.empty() ? t : std::max(t, free_at_.front()); }

  /// That request keeps the seat until `end`.
  void Hold(Nanos end) {
    if (free_at_.empty()) return;
    free_at_.erase(free_at_.begin());
    free_at_.insert(std::upper_bound(free_at_.begin(), free_at_.end(), end), end);
  }

 private:
  void Resize(int seats) {
    const auto wanted = static_cast<std::size_t>(seats);
    if (wanted == free_at_.size()) return;
    // The idle ones come and go; a held seat is given up last.
    if (wanted < free_at_.size()) {
      free_at_.erase(free_at_.begin(), free_at_.end() - static_cast<std::ptrdiff_t>(wanted));
    } else {
      free_at_.insert(free_at_.begin(), wanted - free_at_.size(), 0);
    }
  }

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
  void AdvanceTo(Nanos t, const RequestPath& path, Random& random, std::vector<Read>* reads) {
    if (path.cores <= 0) return;
    const auto gap = [&] { return FromSeconds(random.Exponential() / path.readers_rate); };
    if (rate_ != path.readers_rate) {
      rate_ = path.readers_rate;
      next_ = rate_ > 0 ? t + gap() : 0;
    }
    while (rate_ > 0 && next_ <= t) {
      Run(next_, path.cores, reads);
      const double cost = path.readers_cost.Sample(random);
      if (readers_.size() < kMostReaders) readers_.push_back({next_, cost, cost});
      next_ += gap();
    }
    Run(t, path.cores, reads);
  }
  /// How many times longer a request's work takes, if it starts at the last AdvanceTo's time.
  double Stretch(const RequestPath& path) const {
    if (path.cores <= 0) return 1;
    return std::max(1.0, static_cast<double>(readers_.size() + 1) / path.cores);
  }

  /// How long a goroutine that is woken then waits for a processor, on average.
  Nanos WakeUp(const RequestPath& path) const {
    constexpr double kSlice = 0.01;  // a goroutine is not put aside before
    constexpr double kIdle = 10e-6;
    return FromSeconds(kIdle + (Stretch(path) - 1) * kSlice / 2);
  }

 private:
  struct Reader {
    Nanos start = 0;
    double cost = 0;
    double left = 0;
  };

  // All readers run at one speed; whoever has least left ends first.
  void Run(Nanos until, int cores, std::vector<Read>* reads) {
    while (now_ < until && !readers_.empty()) {
      const double speed = std::min(1.0, cores / static_cast<double>(readers_.size()));
      const auto first =
          std::min_element(readers_.begin(), readers_.end(),
                           [](const Reader& a, const Reader& b) { return a.left < b.left; });
      const Nanos end = now_ + std::max<Nanos>(1, FromSeconds(first->left / speed));
      const double done = ToSeconds(std::min(end, until) - now_) * speed;
      now_ = std::min(end, until);
      const Reader ending = *first;
      if (end <= until) readers_.erase(first);
      for (Reader& reader : readers_) reader.left = std::max(0.0, reader.left - done);
      if (end <= until) reads->push_back({end, end - ending.start, ending.cost});
    }
    now_ = std::max(now_, until);
  }

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
  Nanos Write(Nanos t, const Distribution& fsync, Random& random, std::vector<Fsync>* caused) {
    auto next = fsyncs_.upper_bound(t);  // the first that begins later
    Nanos start = t;
    if (next != fsyncs_.begin()) start = std::max(t, std::prev(next)->second);
    if (next != fsyncs_.end() && next->first <= start) return next->second;
    const Nanos length = std::max<Nanos>(1, FromSeconds(fsync.Sample(random)));
    if (next != fsyncs_.end() && next->first < start + length) return next->second;
    fsyncs_.emplace_hint(next, start, start + length);
    caused->push_back({start + length, length});
    return start + length;
  }
  /// No write will come before `t` any more.
  void Forget(Nanos t) {
    while (!fsyncs_.empty() && fsyncs_.begin()->second < t) fsyncs_.erase(fsyncs_.begin());
  }

 private:
  std::map<Nanos, Nanos> fsyncs_;  // start to end, one at a time
};

}  // namespace schedlens::sim
