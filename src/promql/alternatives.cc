#include "promql/alternatives.h"

#include "promql/alert_expression.h"
#include "promql/parser.h"
#include "promql/rewrite.h"

namespace schedlens::promql {
namespace {

constexpr std::size_t kMostAlternatives = 16;

const Binary* AsChoice(const Expr& expr) {
  const auto* binary = expr.As<Binary>();
  const bool both = binary != nullptr && binary->op == BinaryOp::kOr &&
                    IsAboutScheduler(*binary->lhs) && IsAboutScheduler(*binary->rhs);
  return both ? binary : nullptr;
}

/// The first choice of the text, outer ones before those inside; null without.
const Expr* FirstChoice(const Expr& tree) {
  const Expr* first = nullptr;
  Walk(tree, [&](const Expr& node) {
    if (first == nullptr && AsChoice(node) != nullptr) first = &node;
  });
  return first;
}

/// The tree with one side of the choice in its place.
std::string WithSide(const ExprPtr& tree, const Expr& choice, ExprPtr Binary::*side) {
  const ExprPtr changed = Rewrite(tree, [&](Expr& node) {
    if (node.begin != choice.begin || node.end != choice.end) return;
    const Binary* binary = AsChoice(node);
    if (binary == nullptr) return;
    const ExprPtr kept = binary->*side;
    node = *kept;
  });
  return ToString(*changed);
}

}  // namespace

std::vector<std::string> Alternatives(const std::string& expr) {
  const ExprPtr tree = Parse(expr);
  const Expr* choice = FirstChoice(*tree);
  if (choice == nullptr) return {expr};
  std::vector<std::string> all;
  for (ExprPtr Binary::*side : {&Binary::lhs, &Binary::rhs}) {
    for (std::string& one : Alternatives(WithSide(tree, *choice, side))) {
      if (all.size() < kMostAlternatives) all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace schedlens::promql
