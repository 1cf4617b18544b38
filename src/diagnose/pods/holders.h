#pragma once

// Who held the pods: the pod-seconds of a window, from creation to binding, by holder; the queues
// of the scheduler that leads, scrape by scrape; and when nobody scheduled.

#include "base/text.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/control_plane/control_plane_facts.h"

namespace schedlens {

/// One scrape of whoever led then, and what entered its queues since the scrape before.
struct LeadingScrape {
  TimeMs at = 0;
  std::size_t target = 0;
  bool counted = false;  ///< its queues have a gauge here, and no queue is below zero
  bool groups = false;   ///< some pod group waits: its members come and go uncounted
  kube::EnumMap<kube::QueueName, double> pods = {}, entered = {};
  double binding = 0;     ///< binding cycles that run
  double created = 0;     ///< new pods that entered
  double flushed = 0;     ///< pods that only the timer of the unschedulable queue woke
  double woken = 0;       ///< pods that an event of the cluster woke
  double from_early = 0;  ///< pods taken out of back-off before its end
};

/// In order. Of replicas only those that lead by the election's metric have one; where several
/// targets expose none, nobody knows who leads: empty.
std::vector<LeadingScrape> LeadingScrapesOf(const Facts& facts);

/// Median time between them, 0 of fewer than two.
TimeMs UsualInterval(const std::vector<LeadingScrape>& scrapes);

inline TimeMs Ms(double seconds) { return static_cast<TimeMs>(1000 * seconds); }

/// A moment between two others.
struct BoundedTime {
  TimeMs low = 0, value = 0, high = 0;
};

struct Absence {
  std::string id;                ///< scheduler.down, scheduler.no-leader, scheduler.stuck
  std::string object;            ///< that led before: its instance or pod, without these its labels
  TimeMs before = 0, after = 0;  ///< the leading scrapes around it
  BoundedTime start, end;        ///< of nobody scheduling
  bool keeps_queues = false;     ///< the same process went on: pods stayed in its queues
  bool lasts = false;            ///< nobody was seen again
  bool sure = false;             ///< of one that lasts: `up` says so

  double Seconds() const { return MsToSeconds(end.value - start.value); }
};

/// Whether kube-state-metrics tells of the pods of that time: it was scraped until its end, and
/// from a minute after it at the latest, when its pods are still there.
bool ShowsPodsOf(const ControlPlaneFacts& control_plane, const TimeRange& time);

/// Absences that overlap the window, or end with the scrape that it starts at, in order. Between
/// leading scrapes that are more than 1.6 intervals apart, that are of two targets, or with a
/// process start between them, nobody scheduled in the largest hole between the pods that
/// kube-state-metrics saw scheduled, where that is five times the usual one and more. Without its
/// pods: from the last scrape to the first (from the process's start on for a new one); of the same
/// process only where its attempts had all but stopped, too. The last one is a silence that the
/// window reaches.
std::vector<Absence> FindAbsences(const Facts& facts, const std::vector<LeadingScrape>& scrapes,
                                  const std::vector<ScrapeIncreases>& attempt,
                                  const ControlPlaneFacts& control_plane, const TimeRange& window);

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
  double length = 0, pods = 0;  ///< seconds of the window, and pods bound in it
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
