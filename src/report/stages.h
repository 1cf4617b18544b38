#pragma once

// The stages of a diagnosis in the order in which every report shows them, and where the time of a
// scheduled pod went, before and now: the picture that every report begins with.

#include <optional>
#include <string>
#include <vector>

#include "contract/diagnosis.h"

namespace schedlens {

/// What people call the stage: its id; of a remainder that is the cause, that finding's:
/// `bind.extender` instead of `bind.unmeasured`. A finding that is merely possible names nothing.
std::string StageName(const Diagnosis& diagnosis, const StageTime& stage);

struct StageLine {
  const StageTime* stage = nullptr;
  int depth = 0;      ///< 0 at the top
  std::string name;   ///< as StageName has it
  std::string label;  ///< the name without its parent's id: `.filter` below `algorithm`
};

/// Parents before their children, apart from that in the order of `stages`. A stage whose parent is
/// not there, or that is its own ancestor, comes at the top: nothing is dropped. The result points
/// into the diagnosis.
std::vector<StageLine> StageTree(const Diagnosis& diagnosis);

/// True for a plugin that takes less than 1 % of the time: of interest in a table, not in a tree.
bool IsMinorPlugin(const StageTime& stage);

/// True when neither the window nor the baseline has any time in it.
bool IsIdle(const StageTime& stage);

/// The idle stages that have a row in no table: those without time, and those that nothing here
/// measures, each as ids in the order of the tree. Minor plugins are in neither.
struct IdleStages {
  std::vector<std::string> without_time;
  std::vector<std::string> not_measured;
};
IdleStages IdleStagesOf(const Diagnosis& diagnosis);

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
