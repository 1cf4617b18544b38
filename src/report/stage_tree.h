#ifndef SCHEDLENS_REPORT_STAGE_TREE_H_
#define SCHEDLENS_REPORT_STAGE_TREE_H_

// The stages of a diagnosis in the order in which every report shows them.

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

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_STAGE_TREE_H_
