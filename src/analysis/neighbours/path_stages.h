#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_PATH_STAGES_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_PATH_STAGES_H_

#include <optional>
#include <vector>

#include "analysis/neighbours/binding_path.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// The parts of the path as nodes of the stage tree below `bind.request`, outer ones first. A part
/// whose most is not known has no high end.
std::vector<StageTime> PathStages(const BindingPath& now, const std::optional<BindingPath>& before,
                                  double e2e_seconds, double e2e_seconds_before);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_PATH_STAGES_H_
