#ifndef SCHEDLENS_SIM_QUEUE_BACKOFF_H_
#define SCHEDLENS_SIM_QUEUE_BACKOFF_H_

// How long a pod has to wait after an attempt, and how the back-off queues are ordered.

#include "sim/queue/rules.h"
#include "sim/queue/types.h"

namespace schedlens::sim::queue {

struct BackoffSettings {
  Nanos initial = kSecond;
  Nanos max = 10 * kSecond;
  /// Wall time at the clock's 0, as far as it is not a whole second.
  Nanos start = 0;
};

class Backoff {
 public:
  Backoff(const QueueRules& rules, const BackoffSettings& settings)
      : rules_(rules), settings_(settings) {}

  /// Of a pod with these counts; 0 if it need not wait. A maximum of 0 switches back-off off; where
  /// pops are counted, not for the first one.
  Nanos LengthOf(const Record& record) const;
  /// When the pod's back-off ends; kNever if it has none. Depends on counts and timestamp only.
  Nanos ExpiryOf(const Record& record) const;
  bool BacksOff(const Record& record, Nanos now) const;

 private:
  /// Cut down to a whole second of wall time where the release does so.
  Nanos Cut(Nanos t) const;

  QueueRules rules_;
  BackoffSettings settings_;
};

/// Order of activeQ: higher priority, then earlier timestamp.
bool ActiveLess(const Record& a, const Record& b);
/// By expiry alone.
bool ExpiryLess(const Record& a, const Record& b);
/// By expiry, then as activeQ.
bool ExpiryThenActiveLess(const Record& a, const Record& b);

}  // namespace schedlens::sim::queue

#endif  // SCHEDLENS_SIM_QUEUE_BACKOFF_H_
