#ifndef SCHEDLENS_ANALYSIS_DOCTOR_NEIGHBOUR_NEEDS_H_
#define SCHEDLENS_ANALYSIS_DOCTOR_NEIGHBOUR_NEEDS_H_

// The metrics of neighbours that a diagnosis rests on: a table.

#include <string>
#include <string_view>
#include <vector>

#include "kube/metrics.h"

namespace schedlens {

/// One of the metrics of a component that a diagnosis reads.
struct NeighbourNeed {
  kube::Component component;
  std::string_view question;          ///< of queries/, without its prefix
  std::vector<std::string> families;  ///< any of them answers; the newest name first
  std::string_view cost;              ///< the text of what is lost without it
  /// Absent from a healthy component too: one without webhooks, without a second member, idle.
  bool idle = false;
  int first = 0;  ///< the first minor release of the component that has one of them; 0: all do
};

/// By component, what costs most first.
const std::vector<NeighbourNeed>& NeighbourNeeds();

/// Of a component that is not in a source: the text of what is lost, and the text of what to do.
struct ComponentNeed {
  kube::Component component;
  std::string_view cost;
  std::string_view fix;
};
const std::vector<ComponentNeed>& ComponentNeeds();

/// What is asked of volumes, which no question of queries/ is about.
inline constexpr std::string_view kVolumesQuestion = "volumes";

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DOCTOR_NEIGHBOUR_NEEDS_H_
