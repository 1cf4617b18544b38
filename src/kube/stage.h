#pragma once

// The stages of a scheduling attempt, a tree: top-level stages add up to the time of all attempts.
// A new stage is a row of stages.txt, and a text in the glossary.

#include "kube/words.h"

namespace schedlens::kube {

/// The enumerators are those of stages.txt, in its order.
enum class Stage {
#include "kube/stage_ids.inc"
};

struct StageRow {
  Stage stage;
  std::string_view id;  ///< in reports and options
  std::optional<Stage> parent;
  std::optional<ExtensionPoint> point;  ///< whose seconds these are; empty for all others
  std::string_view measured_by;         ///< the metric, or the subtraction
  std::string_view population;          ///< the attempts that pass the stage
};

/// In tree order: a parent before its children.
inline constexpr auto kStageTable = std::to_array<StageRow>({
#include "kube/stage_rows.inc"
});

template <>
inline constexpr std::array<std::string_view, kStageTable.size()> kSpellings<Stage> = [] {
  std::array<std::string_view, kStageTable.size()> ids{};
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = kStageTable[i].id;
  return ids;
}();

constexpr const StageRow& RowOf(Stage stage) { return kStageTable[IndexOf(stage)]; }

/// The stage that an extension point's seconds are; empty for points outside the tree.
constexpr std::optional<Stage> StageOf(ExtensionPoint point) {
  for (const StageRow& row : kStageTable) {
    if (row.point == point) return row.stage;
  }
  return std::nullopt;
}

/// True for the stages of the scheduling loop, which makes one attempt at a time; false for those
/// of the binding cycle, which run side by side.
constexpr bool RunsInLoop(Stage stage) {
  while (RowOf(stage).parent) stage = *RowOf(stage).parent;
  return stage == Stage::kAlgorithm || stage == Stage::kPostFilter || stage == Stage::kReserve ||
         stage == Stage::kPermit;
}

}  // namespace schedlens::kube
