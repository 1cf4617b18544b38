#include "source/by_label/aggregated_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "contract/series.h"
#include "model/family.h"
#include "promql/ast.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

using promql::Aggregation;
using promql::Expr;
using promql::Grouping;
using promql::Selector;

/// Adds the label to what the aggregation keeps.
void Keep(Aggregation& aggregation, const std::string& label) {
  std::vector<std::string>& labels = aggregation.labels;
  if (aggregation.grouping == Grouping::kWithout) {
    std::erase(labels, label);
    return;
  }
  aggregation.grouping = Grouping::kBy;
  if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
}

/// A selector by one exact name that no counter has.
bool IsGauge(const Selector& selector) {
  return !selector.name.empty() && !IsCounterName(selector.name);
}

}  // namespace

std::string Aggregated(std::string_view question, std::string_view label,
                       const std::set<std::string>& labels) {
  const promql::ExprPtr tree = promql::Parse(question);
  const auto* raw = tree->As<Selector>();
  if (raw == nullptr) return KeepingLabel(question, std::string(label));
  Expr instant = *tree;
  std::get<Selector>(instant.node).range_ms = 0;
  std::set<std::string> kept = labels;
  kept.insert({std::string(label), "__name__"});
  return fmt::format("{} by ({}) ({})", IsGauge(*raw) ? "max" : "sum", fmt::join(kept, ", "),
                     promql::ToString(instant));
}

std::string KeepingLabel(std::string_view expression, const std::string& label) {
  const promql::ExprPtr tree = promql::Rewrite(promql::Parse(expression), [&](Expr& node) {
    if (auto* aggregation = std::get_if<Aggregation>(&node.node)) Keep(*aggregation, label);
  });
  return promql::ToString(*tree);
}

std::set<std::string> LabelsOf(std::string_view expression) {
  std::set<std::string> labels;
  const promql::ExprPtr tree = promql::Parse(expression);
  promql::Walk(*tree, [&](const Expr& node) {
    if (const auto* selector = node.As<Selector>()) {
      for (const promql::Matcher& matcher : selector->matchers) labels.insert(matcher.name);
    }
    const auto* aggregation = node.As<Aggregation>();
    if (aggregation != nullptr && aggregation->grouping == Grouping::kBy) {
      labels.insert(aggregation->labels.begin(), aggregation->labels.end());
    }
  });
  labels.erase("__name__");
  return labels;
}

}  // namespace schedlens
