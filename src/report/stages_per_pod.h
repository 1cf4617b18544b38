#ifndef SCHEDLENS_REPORT_STAGES_PER_POD_H_
#define SCHEDLENS_REPORT_STAGES_PER_POD_H_

// Where the time of a scheduled pod went, before and now: the picture that every report begins
// with.

#include <optional>
#include <string>
#include <vector>

#include "contract/diagnosis.h"

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

/// All of them together, with an empty id; nothing where no pod was scheduled.
std::optional<StagePerPod> WholePerPod(const Diagnosis& diagnosis);

/// True for a stage that takes half as long again as before.
bool HasGrown(const StagePerPod& stage);

/// Seconds as milliseconds without their unit: `0.33`, `41.7`, `1,900`.
std::string Milliseconds(double seconds);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_STAGES_PER_POD_H_
