#ifndef SCHEDLENS_REFERENCE_ARRIVALS_H_
#define SCHEDLENS_REFERENCE_ARRIVALS_H_

// Pods as they really came: what each scrape interval counted, not a rate.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/causes/window_evidence.h"
#include "sim/scenario/scenario.h"

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

/// The attempts of a window that found a node, by scrape interval, moved so that the time
/// `window_start` is `at`. Intervals outside [at, at + length] are left out, those across an edge
/// are cut. After an interval without any, or with a process start, what is above the usual count
/// comes at once. Without extension points the scheduled attempts stand for them.
std::vector<CountedArrivals> CountArrivals(const Measurement& window, TimeMs window_start,
                                           sim::Nanos at, sim::Nanos length);

/// The scenario with these arrivals in place of its Poisson ones: in each interval its own count,
/// times `factor` of the segment that it lies in, at times drawn by `seed`, of templates drawn by
/// the segment's weights. `factors` has one entry a segment.
/// `group` pods come at the same moment.
sim::Scenario WithArrivals(const sim::Scenario& scenario,
                           const std::vector<CountedArrivals>& arrivals,
                           const std::vector<double>& factors, std::uint64_t seed, int group = 1);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_ARRIVALS_H_
