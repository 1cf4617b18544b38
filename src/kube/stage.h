#pragma once

// The stages of a scheduling attempt, a tree: top-level stages add up to the time of all attempts.
// A new stage is an enumerator, a row here, and a text in the glossary.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "kube/words.h"

namespace schedlens::kube {

enum class Stage {
  kAlgorithm,
  kPreFilter,
  kFilter,
  kPreScore,
  kScore,
  kAlgorithmUnmeasured,
  kPostFilter,
  kReserve,
  kPermit,
  kPermitWait,
  kPreBind,
  kBind,
  kBindPlugins,
  kBindThrottle,
  kBindRequest,
  kBindUnmeasured,
  kUnmeasured,
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
inline constexpr std::array<StageRow, 17> kStageTable = {{
    {Stage::kAlgorithm, "algorithm", std::nullopt, std::nullopt,
     "scheduling_algorithm + failed attempts", "all attempts"},
    {Stage::kPreFilter, "algorithm.prefilter", Stage::kAlgorithm, ExtensionPoint::kPreFilter,
     "EP{PreFilter}", "all attempts"},
    {Stage::kFilter, "algorithm.filter", Stage::kAlgorithm, ExtensionPoint::kFilter, "EP{Filter}",
     "attempts past PreFilter"},
    {Stage::kPreScore, "algorithm.prescore", Stage::kAlgorithm, ExtensionPoint::kPreScore,
     "EP{PreScore}", "attempts with several feasible nodes"},
    {Stage::kScore, "algorithm.score", Stage::kAlgorithm, ExtensionPoint::kScore, "EP{Score}",
     "attempts with several feasible nodes"},
    {Stage::kAlgorithmUnmeasured, "algorithm.unmeasured", Stage::kAlgorithm, std::nullopt,
     "algorithm - its extension points", "all attempts"},
    {Stage::kPostFilter, "postfilter", std::nullopt, ExtensionPoint::kPostFilter, "EP{PostFilter}",
     "attempts without a feasible node"},
    {Stage::kReserve, "reserve", std::nullopt, ExtensionPoint::kReserve, "EP{Reserve}",
     "attempts that found a node"},
    {Stage::kPermit, "permit", std::nullopt, ExtensionPoint::kPermit, "EP{Permit}",
     "attempts that found a node"},
    {Stage::kPermitWait, "permit-wait", std::nullopt, std::nullopt, "permit_wait",
     "pods told to wait by a Permit plugin"},
    {Stage::kPreBind, "prebind", std::nullopt, ExtensionPoint::kPreBind, "EP{PreBind}",
     "attempts that reached binding"},
    {Stage::kBind, "bind", std::nullopt, std::nullopt, "binding", "attempts that reached binding"},
    {Stage::kBindPlugins, "bind.plugins", Stage::kBind, ExtensionPoint::kBind, "EP{Bind}",
     "binds by the framework"},
    {Stage::kBindThrottle, "bind.throttle", Stage::kBindPlugins, std::nullopt,
     "rate limiter of the API client", "binds by the framework"},
    {Stage::kBindRequest, "bind.request", Stage::kBindPlugins, std::nullopt,
     "EP{Bind} - rate limiter", "binds by the framework"},
    {Stage::kBindUnmeasured, "bind.unmeasured", Stage::kBind, std::nullopt, "bind - EP{Bind}",
     "binds by an extender, cache FinishBinding"},
    {Stage::kUnmeasured, "unmeasured", std::nullopt, std::nullopt, "e2e - every other stage",
     "all attempts"},
}};

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
