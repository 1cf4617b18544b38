#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "contract/commands.h"
#include "diagnose/collect/facts.h"
#include "diagnose/collect/missing.h"
#include "kube/metrics.h"

namespace schedlens {

// Which of the scheduler's neighbours a source has, and what each missing one, or each missing
// metric of one, would add to a diagnosis.

struct NeighbourCheckUp {
  std::vector<CheckUp> checks;  ///< in the order of what they cost a diagnosis
  std::vector<NeighbourFound> seen;
  std::vector<ScrapeConfiguration> configurations;  ///< of those that are missing
};

/// Asks the questions that a diagnosis asks of neighbours, but how many series they have at the end
/// of the range instead of their samples. A component is known by its metrics, whatever its job is
/// called. The release of the API servers is their own where they tell it, else the scheduler's.
/// Nothing is asked where no scheduler was found. Throws what the source throws.
NeighbourCheckUp CheckNeighbours(Source& source, const QuerySet& queries, const Facts& facts,
                                 const ReleaseRange& release);

// The metrics of neighbours that a diagnosis rests on: a table.

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
