#ifndef SCHEDLENS_REFERENCE_QUEUE_ARRIVALS_H_
#define SCHEDLENS_REFERENCE_QUEUE_ARRIVALS_H_

// Pods as the queue counted them when they came, not when the loop got to them.

#include <vector>

#include "analysis/collect/facts.h"
#include "reference/arrivals.h"

namespace schedlens {

/// New pods of a window.
struct Incoming {
  std::vector<CountedArrivals> pods;  ///< by scrape interval
  double count = 0;
  bool waited = false;      ///< a backlog stood: those that left are not those that came
  double waiting_more = 0;  ///< pods in the active queue at the end, less those at the start
};

/// As the process counted them that made the window's attempts, moved so that the window's start is
/// `at`. Empty where the counter is missing, or where several processes made attempts: each of them
/// counts every pod.
Incoming CountIncoming(const Facts& facts, const Measurement& window, TimeMs window_start,
                       sim::Nanos at, sim::Nanos length);

/// Seconds of the status PATCHes of a window without their wait for the limiter, and how many;
/// those of events, which share the metric, are left out as far as `incoming` tells.
Amount StatusPatches(const Facts& facts, const Measurement& window, const Incoming& incoming);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_QUEUE_ARRIVALS_H_
