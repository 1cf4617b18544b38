#ifndef SCHEDLENS_REFERENCE_QUEUE_ARRIVALS_H_
#define SCHEDLENS_REFERENCE_QUEUE_ARRIVALS_H_

// Pods as the queue counted them when they came, not when the loop got to them.

#include <vector>

#include "analysis/collect/facts.h"
#include "reference/arrivals.h"

namespace schedlens {

/// New pods of the window by scrape interval, of the process that made its attempts, moved so that
/// the window's start is `at`. Empty where no backlog tells them from those that left, where the
/// counter is missing, or where several processes made attempts: each of them counts every pod.
std::vector<CountedArrivals> CountIncoming(const Facts& facts, const Measurement& window,
                                           TimeMs window_start, sim::Nanos at, sim::Nanos length);

/// Seconds of the status PATCHes of a window without their wait for the limiter, and how many.
Amount StatusPatches(const Facts& facts, const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_QUEUE_ARRIVALS_H_
