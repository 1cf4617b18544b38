#include "promql/rewrite.h"

#include <utility>

namespace schedlens::promql {

ExprPtr Rewrite(const ExprPtr& expr, const std::function<void(Expr&)>& change) {
  if (expr == nullptr) return nullptr;
  Expr copy = *expr;
  if (auto* call = std::get_if<Call>(&copy.node)) {
    for (ExprPtr& arg : call->args) arg = Rewrite(arg, change);
  } else if (auto* aggregation = std::get_if<Aggregation>(&copy.node)) {
    aggregation->param = Rewrite(aggregation->param, change);
    aggregation->expr = Rewrite(aggregation->expr, change);
  } else if (auto* binary = std::get_if<Binary>(&copy.node)) {
    binary->lhs = Rewrite(binary->lhs, change);
    binary->rhs = Rewrite(binary->rhs, change);
  } else if (auto* unary = std::get_if<Unary>(&copy.node)) {
    unary->expr = Rewrite(unary->expr, change);
  } else if (auto* paren = std::get_if<Paren>(&copy.node)) {
    paren->expr = Rewrite(paren->expr, change);
  } else if (auto* subquery = std::get_if<Subquery>(&copy.node)) {
    subquery->expr = Rewrite(subquery->expr, change);
  }
  change(copy);
  return std::make_shared<const Expr>(std::move(copy));
}

ExprPtr MakeExpr(decltype(Expr::node) node, ValueKind kind) {
  Expr expr;
  expr.node = std::move(node);
  expr.kind = kind;
  return std::make_shared<const Expr>(std::move(expr));
}

}  // namespace schedlens::promql
