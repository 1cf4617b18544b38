#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_PATH_EVIDENCE_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_PATH_EVIDENCE_H_

#include <optional>
#include <vector>

#include "analysis/neighbours/binding_path.h"
#include "analysis/neighbours/slow_server.h"
#include "analysis/neighbours/symptoms.h"
#include "analysis/neighbours/tail_link.h"

namespace schedlens {

/// The path and the symptoms of the window, and of the baseline where there is one.
struct PathEvidence {
  BindingPath now;
  std::optional<BindingPath> before;
  Symptoms symptoms;
  std::optional<Symptoms> symptoms_before;
  std::vector<ServerAgainstOthers> servers, servers_before;  ///< slowest first
  std::optional<TailLink> tail;
  double e2e_seconds = 0;  ///< of the window

  /// Seconds that a part has now beyond what as many bindings had in the baseline; all without one.
  Between Growth(const Between& part, const std::optional<Between>& part_before) const;
  Between RequestGrowth() const;
};

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_PATH_EVIDENCE_H_
