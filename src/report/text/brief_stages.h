#ifndef SCHEDLENS_REPORT_TEXT_BRIEF_STAGES_H_
#define SCHEDLENS_REPORT_TEXT_BRIEF_STAGES_H_

// One small picture of where the time of a scheduled pod went.

#include <optional>
#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "report/text/sections.h"

namespace schedlens {

/// A stage's seconds a scheduled pod.
struct StagePerPod {
  std::string id;  ///< of the stage; of a remainder that a finding names, that finding's
  double now = 0;
  std::optional<double> before;  ///< empty without a baseline
};

/// The stages that matter, at most `most`, in the order of the tree: whatever takes a tenth of the
/// time is taken apart, as far as its parts add up. What is below one percent now and before is
/// left out, then what is smallest. Empty where no pod was scheduled.
std::vector<StagePerPod> StagesPerPod(const Diagnosis& diagnosis, std::size_t most);

/// These as bars with milliseconds before and now. Empty where there are none.
std::string BriefStages(const TextPage& page, const Diagnosis& diagnosis, std::size_t most);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_TEXT_BRIEF_STAGES_H_
