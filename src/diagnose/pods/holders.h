#pragma once

// Who held the pods: the pod-seconds of a window, from creation to binding, by holder.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/control_plane/control_plane_facts.h"
#include "diagnose/pods/absences.h"
#include "diagnose/pods/leading_scrapes.h"

namespace schedlens {

enum class Holder { kGate, kUnschedulable, kBackoff, kNobody, kQueue, kAttempt };
inline constexpr std::array<std::string_view, 6> kHolderIds = {
    "gate",
    ToString(kube::QueueName::kUnschedulable),
    ToString(kube::QueueName::kBackoff),
    "nobody",
    "queue",
    "attempt"};
inline constexpr std::size_t kHolders = kHolderIds.size();

/// Pod-seconds by holder. Bounds are three standard deviations of what gauges between scrapes and
/// times in whole seconds leave open, cut by each other: measured, not proven.
struct HeldTime {
  std::array<BoundedValue, kHolders> seconds;
  kube::PartialEnumMap<kube::Stage, BoundedValue> stages;  ///< of attempts: the top-level ones
  kube::PartialEnumMap<kube::Stage, BoundedValue> loop;    ///< of the queue: what the loop did then
  double length = 0;                                       ///< seconds of the window
  double relaxation = 1;  ///< times by which all bounds were widened until they fit each other
  BoundedValue& operator[](Holder holder) { return seconds[static_cast<std::size_t>(holder)]; }
  const BoundedValue& operator[](Holder holder) const {
    return seconds[static_cast<std::size_t>(holder)];
  }
};

/// Something measured: the sum of some holders' seconds lies between two bounds.
struct HeldSum {
  std::vector<Holder> holders;
  BoundedValue seconds;
};

/// The least and the most of each holder that all sums allow (a linear program), and between them
/// the values of least squares, each sum weighted by its width. Sums that contradict each other are
/// widened together until they fit; nothing where ten thousand times is not enough.
std::optional<HeldTime> SolveHolders(const std::vector<HeldSum>& sums);

/// Everything that a window is measured from.
struct HolderSources {
  const Facts& facts;
  const Histograms& histograms;
  const ControlPlaneFacts& control_plane;
  const std::vector<LeadingScrape>& scrapes;
  double limiter = 0;  ///< seconds of Bind that waited for the client's own limit
};

/// Sums of a window, between the leading scrapes around it: queues from their gauges (trapezoids),
/// the attempts' own sum with what runs at the edges, pods' waits until bound, nobody's from the
/// absences, and all of it from kube-state-metrics (its pods of the window must be there). What is
/// not measured is left open. Nothing without queues' gauges.
std::optional<HeldTime> MeasureHolders(const HolderSources& sources, const TimeBreakdown& breakdown,
                                       const std::vector<Absence>& absences);

}  // namespace schedlens
