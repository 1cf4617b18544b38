#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {

/// Mean of a queue's gauge over the scrapes in the window, all targets together; nothing where it
/// was not scraped. `queue` is active, backoff, unschedulable or gated.
std::optional<double> MeanPending(const Facts& facts, kube::QueueName queue,
                                  const TimeRange& window);

/// Seconds of the stages that run in the scheduling loop, one pod at a time.
double LoopSeconds(const TimeBreakdown& breakdown);

/// Seconds a bound pod spent outside its last attempt: queue, back-off, earlier attempts. Nothing
/// where the two histograms do not hold the same pods.
std::optional<double> WaitOutsideAttempt(const TimeBreakdown& breakdown);

/// What a pod goes through besides its attempts: how busy the loop is (algorithm, PostFilter,
/// Reserve and Permit seconds per second of the window), attempts a scheduled pod, its wait outside
/// its last attempt (pod_scheduling less e2e: queue, back-off and earlier attempts), and the pods
/// in each queue. Rows that the metrics do not give are left out.
std::vector<QueueRow> MeasureQueue(const Facts& facts, const TimeBreakdown& breakdown,
                                   const TimeBreakdown* baseline);

}  // namespace schedlens
