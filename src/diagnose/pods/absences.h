#pragma once

// When nobody scheduled: a scheduler that was down, stood still, or did not lead.

#include <string>
#include <vector>

#include "base/text.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/control_plane/control_plane_facts.h"
#include "diagnose/pods/leading_scrapes.h"

namespace schedlens {

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
/// process only where its attempts had all but stopped, too.
std::vector<Absence> FindAbsences(const Facts& facts, const std::vector<LeadingScrape>& scrapes,
                                  const std::vector<ScrapeIncreases>& attempt,
                                  const ControlPlaneFacts& control_plane, const TimeRange& window);

}  // namespace schedlens
