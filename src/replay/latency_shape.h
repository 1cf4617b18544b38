#pragma once

// What a histogram says about a latency's distribution, as something that can be drawn from, and
// distributions laid side by side, rank by rank.

#include <utility>
#include <vector>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/pipeline/diagnose.h"
#include "scheduler/base/distribution.h"

namespace schedlens {

/// Buckets of several children together. A bucket's own count, not cumulative; what lies above the
/// top finite bound is `open`.
struct LatencyShape {
  std::vector<std::pair<double, double>> buckets;  ///< upper bound in seconds, observations
  double open = 0;
  double count = 0;
  double seconds = 0;
  double mean() const { return count > 0 ? seconds / count : 0; }
};

LatencyShape ShapeOf(const std::vector<const ScrapeIncreases*>& children);
LatencyShape ShapeOf(const std::vector<ScrapeIncreases>& cells);
/// Of an extension point, and of the scheduled attempts' e2e.
LatencyShape ShapeAt(const Measurement& window, kube::ExtensionPoint point);
LatencyShape ScheduledShape(const Measurement& window);

/// Upper bounds in seconds, ascending, and the observations up to each from the one before.
using FineBuckets = std::vector<std::pair<double, double>>;

/// The same counts in finer buckets: a monotone cubic through the cumulative counts over the
/// logarithm of the bounds, instead of the straight line that buckets alone would draw.
FineBuckets Refined(const FineBuckets& buckets);

/// The shape in fine buckets, with the mean that the sums prove. What lies above the top bound
/// takes the form of `whole` there (a histogram that holds this stage), bent to the seconds that
/// the buckets leave for it. Empty for a shape without observations.
FineBuckets FineOf(const LatencyShape& shape, const LatencyShape& whole);

/// The part of the observations between two ranks, given as shares of all.
FineBuckets SliceOf(const FineBuckets& fine, double from, double to);

/// What can be drawn from: always 0 when nothing was observed.
sim::Distribution DistributionOf(const FineBuckets& fine);
sim::Distribution DistributionOf(const LatencyShape& shape, const LatencyShape& whole);

/// The form of `shape` with another mean, for what has no histogram of its own.
FineBuckets ScaledTo(const LatencyShape& shape, double mean);

/// `whole` less the observations of `part`: what is left is `count` observations that take
/// `seconds` in all. Both must hold each observation's full time, up to what is small compared with
/// it.
LatencyShape Without(const LatencyShape& whole, const LatencyShape& part, double count,
                     double seconds);

/// The quicker half of the observations and its mirror image on a logarithmic scale: what a latency
/// looks like where only its slower half was held back by something else.
FineBuckets Mirrored(const LatencyShape& shape);

/// The values above `lower` moved to whole seconds, at least 1, and a little more, so that their
/// mean stays: something that is looked at once a second.
FineBuckets WholeSeconds(const FineBuckets& fine, double lower);

/// Values of the distribution, ascending: as many of each, and of every distribution as many.
std::vector<double> Ranked(const sim::Distribution& distribution);

/// Rank by rank the given part of the way from one to the other.
sim::Distribution Partway(const sim::Distribution& from, const sim::Distribution& to, double part);

/// Rank by rank the slower of the two.
sim::Distribution Slower(const sim::Distribution& a, const sim::Distribution& b);

/// The middle value of `now` is above that of `quiet` by at least half as much as the mean is.
bool GrewEvenly(const sim::Distribution& now, const sim::Distribution& quiet);

/// What bindings took inside the API servers in a window, by the servers' own histogram, whoever
/// sent them. Without observations where no API server is in the data or none was asked.
LatencyShape ServerBinds(const Investigation& investigation, const TimeRange& window);

}  // namespace schedlens
