#ifndef SCHEDLENS_PROMQL_REWRITE_H_
#define SCHEDLENS_PROMQL_REWRITE_H_

#include <functional>

#include "promql/ast.h"

namespace schedlens::promql {

/// A copy of the tree in which `change` has seen every node, children before parents. It may alter
/// the node it is given (a copy of its own); the original is untouched.
ExprPtr Rewrite(const ExprPtr& expr, const std::function<void(Expr&)>& change);

/// A node of its own, without a place in any text.
ExprPtr MakeExpr(decltype(Expr::node) node, ValueKind kind);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_REWRITE_H_
