#pragma once

// Pods as they really came: what each scrape interval counted, not a rate. Attempts that failed:
// the time they took from the loop, and what they cost the pods that were bound after all.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "diagnose/causes/measurement.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/collect/facts.h"
#include "scheduler/base/distribution.h"
#include "scheduler/base/time.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens {

/// So many attempts that found a node ended in (start, end] of virtual time.
struct CountedArrivals {
  sim::Nanos start = 0;
  sim::Nanos end = 0;
  double count = 0;
  double at_once = 0;  ///< of these, the ones that had waited for a scheduler to come back
  /// Attempts that failed and whose pods were not bound: all of this template, as they came.
  std::optional<std::size_t> failing = {};
  /// They come out of the back-off queue, which is looked at once a second: all of a second at
  /// once.
  bool flushed = false;

  bool operator==(const CountedArrivals&) const = default;
};

/// The part of the window that is played.
struct PlayedPart {
  TimeMs start = 0;   ///< of the window
  sim::Nanos at = 0;  ///< the virtual time of that
  sim::Nanos length = 0;
  std::vector<CountedArrivals> incoming = {};  ///< CountIncoming

  /// What was counted from one time to another in virtual time, where it lies in the part: all of
  /// it, or as much as the part has of the interval. Without `count`ed ones, none.
  CountedArrivals Of(TimeMs from, TimeMs to, double counted) const;
};

/// The middle one in order, of two the larger; there must be some.
double UpperMedian(std::vector<double> values);

/// Sorts by the member `at`; those of one moment stay as they stand. Only keys are moved about.
template <typename T>
void InOrder(std::vector<T>* all) {
  std::vector<std::pair<sim::Nanos, std::size_t>> order;
  order.reserve(all->size());
  for (const T& one : *all) order.emplace_back(one.at, order.size());
  std::sort(order.begin(), order.end());
  std::vector<T> sorted;
  sorted.reserve(all->size());
  for (const auto& [at, i] : order) sorted.push_back(std::move((*all)[i]));
  all->swap(sorted);
}

/// The attempts of a window that found a node, by scrape interval, as far as they are in the part.
/// After an interval without any, or with a process start, what is above the usual count comes at
/// once. Without extension points the scheduled attempts stand for them.
std::vector<CountedArrivals> CountArrivals(const Measurement& window, const PlayedPart& part);

/// The scenario with these arrivals in place of its Poisson ones: in each interval its own count,
/// times `factor` of the segment that it lies in, at times drawn by `seed`, of templates drawn by
/// the segment's weights. `factors` has one entry a segment.
/// `group` pods come at the same moment.
sim::Scenario WithArrivals(const sim::Scenario& scenario,
                           const std::vector<CountedArrivals>& arrivals,
                           const std::vector<double>& factors, std::uint64_t seed, int group = 1);

/// New pods of a window.
struct Incoming {
  std::vector<CountedArrivals> pods;  ///< by scrape interval
  double count = 0;
  bool waited = false;      ///< a backlog stood: those that left are not those that came
  double waiting_more = 0;  ///< pods in the active queue at the end, less those at the start
};

/// As the process counted them that made the window's attempts, of the part. Empty where the
/// counter is missing, or where several processes made attempts: each of them counts every pod.
Incoming CountIncoming(const Facts& facts, const Measurement& window, const PlayedPart& part);

/// Seconds of the status PATCHes of a window without their wait for the limiter, and how many;
/// those of events, which share the metric, are left out as far as `incoming` tells.
Amount StatusPatches(const Facts& facts, const Measurement& window, const Incoming& incoming);

struct Fitted;

/// What of the failed attempts the scenario itself cannot say.
struct Failures {
  int merged = 1;             ///< so many failed attempts are played as one of their total time
  double waiting_share = 0;   ///< of the pods that were bound: failed for want of a node before
  sim::Distribution waiting;  ///< seconds that those waited before the attempt that succeeded
};

/// Of the pods whose attempts failed and that were not bound, those that came in the window: their
/// status was patched.
double NewlyStuck(const Measurement& window, const Amount& patches);

/// Adds the window's failed attempts. Pods that failed with an error and were bound later are tried
/// again under the release's own rules; those that waited for a node wait as long as measured;
/// attempts of pods that were not bound take their time from the loop, as often as they were
/// counted. `patches`: status PATCHes of the window. Changes nothing where no attempt failed.
void AddFailures(const Measurement& window, const Amount& patches, const PlayedPart& part,
                 Fitted* fitted);

}  // namespace schedlens
