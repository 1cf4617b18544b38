#include "analysis/lint/ratios.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/lint/words.h"
#include "kube/metrics.h"
#include "promql/ast.h"

namespace schedlens {
namespace {

using promql::Aggregation;
using promql::Binary;
using promql::BinaryOp;
using promql::Call;
using promql::Expr;
using promql::ExprPtr;
using promql::Matcher;
using promql::Selector;

constexpr char kPlugin[] = "plugin";

/// Series as they stand or under one function, scaled by numbers at most: their labels are all
/// there.
struct PlainSeries {
  ExprPtr expr;
  const Call* call = nullptr;
  const Selector* selector = nullptr;
};

PlainSeries PlainSeriesIn(const ExprPtr& expr) {
  if (const auto* paren = expr->As<promql::Paren>()) return PlainSeriesIn(paren->expr);
  if (const auto* binary = expr->As<Binary>()) {
    if (binary->op != BinaryOp::kMul && binary->op != BinaryOp::kDiv) return {};
    if (binary->rhs->As<promql::NumberLiteral>() != nullptr) return PlainSeriesIn(binary->lhs);
    if (binary->op == BinaryOp::kMul && binary->lhs->As<promql::NumberLiteral>() != nullptr) {
      return PlainSeriesIn(binary->rhs);
    }
    return {};
  }
  if (const auto* selector = expr->As<Selector>()) return {expr, nullptr, selector};
  const auto* call = expr->As<Call>();
  if (call == nullptr || call->args.size() != 1) return {};
  return {expr, call, promql::WithoutParens(*call->args[0]).As<Selector>()};
}

bool Has(const Selector& selector, const Matcher& matcher) {
  return std::find(selector.matchers.begin(), selector.matchers.end(), matcher) !=
         selector.matchers.end();
}

/// The labels that choose the part of the whole; nothing where it is no part of it.
std::optional<std::vector<std::string>> Choosing(const PlainSeries& part,
                                                 const PlainSeries& whole) {
  if (part.selector == nullptr || whole.selector == nullptr) return std::nullopt;
  const Selector& left = *part.selector;
  const Selector& right = *whole.selector;
  const bool same_call = (part.call == nullptr) == (whole.call == nullptr) &&
                         (part.call == nullptr || part.call->function == whole.call->function);
  if (!same_call || left.name.empty() || left.name != right.name ||
      left.range_ms != right.range_ms || !(left.shift == right.shift)) {
    return std::nullopt;
  }
  for (const Matcher& matcher : right.matchers) {
    if (!Has(left, matcher)) return std::nullopt;
  }
  std::vector<std::string> labels;
  for (const Matcher& matcher : left.matchers) {
    if (!Has(right, matcher) && !Contains(labels, matcher.name)) labels.push_back(matcher.name);
  }
  return labels;
}

/// The tree with the series added up without these labels.
ExprPtr AddedUp(const ExprPtr& tree, const ExprPtr& series,
                const std::vector<std::string>& labels) {
  if (tree == series) {
    Aggregation sum;
    sum.op = promql::AggregateOp::kSum;
    sum.grouping = promql::Grouping::kWithout;
    sum.labels = labels;
    sum.expr = series;
    return promql::MakeExpr(sum, ValueKind::kVector);
  }
  Expr copy = *tree;
  if (auto* paren = std::get_if<promql::Paren>(&copy.node)) {
    paren->expr = AddedUp(paren->expr, series, labels);
  } else if (auto* binary = std::get_if<Binary>(&copy.node)) {
    ExprPtr& side = binary->rhs->As<promql::NumberLiteral>() != nullptr ? binary->lhs : binary->rhs;
    side = AddedUp(side, series, labels);
  }
  return std::make_shared<const Expr>(std::move(copy));
}

}  // namespace

void MendSelfRatio(Expr& node, const LintNote& note) {
  auto* binary = std::get_if<Binary>(&node.node);
  if (binary == nullptr || binary->op != BinaryOp::kDiv ||
      !(binary->matching == promql::VectorMatching{})) {
    return;
  }
  const PlainSeries part = PlainSeriesIn(binary->lhs);
  const PlainSeries whole = PlainSeriesIn(binary->rhs);
  const auto labels = Choosing(part, whole);
  if (!labels) return;
  const Message said("lint.self_ratio", {{"metric", arg::Metric(part.selector->name)}});
  if (labels->empty()) return note("divided-by-itself", said, Message());
  binary->lhs = AddedUp(binary->lhs, part.expr, *labels);
  binary->rhs = AddedUp(binary->rhs, whole.expr, *labels);
  note("divided-by-itself", said, WriteInstead(ToString(node)));
}

void JudgePerPlugin(const Expr& node, const LintNote& note) {
  const auto* sum = node.As<Aggregation>();
  if (sum == nullptr || sum->op != promql::AggregateOp::kSum) return;
  const auto* selector = promql::WithoutParens(*sum->expr).As<Selector>();
  if (selector == nullptr || selector->name != NameOf(kube::Metric::kUnschedulablePods)) return;
  const bool named = Contains(sum->labels, kPlugin);
  const bool kept = sum->grouping == promql::Grouping::kWithout ? !named : named;
  const bool chosen =
      std::any_of(selector->matchers.begin(), selector->matchers.end(), [](const Matcher& matcher) {
        return matcher.name == kPlugin && matcher.op == promql::MatchOp::kEqual;
      });
  if (kept || chosen) return;
  note("counted-per-plugin", Message("lint.per_plugin", {{"metric", arg::Metric(selector->name)}}),
       Message("lint.per_plugin.fix"));
}

}  // namespace schedlens
