// The scores of an attempt's feasible nodes, and the nodes with the highest.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "verify/attempt_check.h"

namespace schedlens::verify {
namespace {

using core::Attempt;
using core::ExtensionPoint;
using core::NodeId;

std::string ScorePluginText(std::string_view name, std::int64_t weight, bool normalizes) {
  return fmt::format("{}({}){}", name, weight, normalizes ? " normalizes" : "");
}

// The in-tree plugins with a NormalizeScore; here all have one that need not do anything.
bool Normalizes(std::string_view plugin) {
  constexpr std::string_view kNormalizing[] = {"DynamicResources", "InterPodAffinity",
                                               "NodeAffinity",     "PodTopologySpread",
                                               "SelectorSpread",   "TaintToleration"};
  return std::ranges::find(kNormalizing, plugin) != std::end(kNormalizing);
}

}  // namespace

bool AttemptCheck::CompareScorePlugins(const std::vector<RecordedScorePlugin>& recorded) {
  std::vector<std::string> theirs, ours;
  for (const RecordedScorePlugin& p : recorded) {
    theirs.push_back(ScorePluginText(p.name, p.weight, p.normalizes));
  }
  for (const std::int32_t i : framework_.scoring()) {
    const auto& entry = framework_.At(ExtensionPoint::kScore)[core::Index(i)];
    ours.push_back(ScorePluginText(entry.name, entry.weight, Normalizes(entry.name)));
  }
  log_.Compare("score plugins", "", "", fmt::format("{}", fmt::join(theirs, ", ")),
               fmt::format("{}", fmt::join(ours, ", ")));
  return theirs == ours;
}

// Returns the nodes with our top score.
std::set<std::string> AttemptCheck::CompareScores(const RecordedAttempt& recorded,
                                                  const Attempt& attempt,
                                                  const std::vector<NodeId>& feasible) {
  log_.Compare("scored", "", "", recorded.score_plugins.has_value(), feasible.size() > 1);
  if (feasible.size() < 2) return {replayed_.NodeName(feasible[0])};
  core::RawScores norm;
  raw_.clear();
  framework_.Score(attempt, feasible, totals_, &raw_, &norm);
  const std::int64_t top = *std::max_element(totals_.begin(), totals_.end());
  std::set<std::string> tied;
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (totals_[i] == top) tied.insert(replayed_.NodeName(feasible[i]));
  }
  if (!recorded.score_plugins || !CompareScorePlugins(*recorded.score_plugins)) return tied;
  const auto& scoring = framework_.scoring();
  for (const RecordedNode& n : recorded.nodes) {
    if (!n.scored) continue;
    const auto at = std::find(feasible.begin(), feasible.end(), replayed_.NodeOf(n.name));
    if (at == feasible.end()) continue;
    const auto i = static_cast<std::size_t>(at - feasible.begin());
    for (std::size_t k = 0; k < scoring.size(); ++k) {
      const std::string& name = framework_.At(ExtensionPoint::kScore)[core::Index(scoring[k])].name;
      log_.Compare("raw score", n.name, name, n.raw.at(k), raw_[k][i]);
      log_.Compare("score", n.name, name, n.norm.at(k), norm[k][i]);
    }
    log_.Compare("total", n.name, "", n.total, totals_[i]);
  }
  log_.Compare("top score", "", "", recorded.top_score, top);
  log_.Compare("tied", "", "", Sorted(recorded.tied), Sorted({tied.begin(), tied.end()}));
  return tied;
}

}  // namespace schedlens::verify
