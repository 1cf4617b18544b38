#pragma once

// What an expression may hold: kinds of values, and what only other servers evaluate.

#include <string_view>

#include "promql/ast.h"
#include "schedlens/semantics.h"

namespace schedlens::promql {

/// Sets the node's kind after checking that its children (already checked) are of the kinds it
/// takes. Throws Error(kUsage) with the child's position in `text`.
ExprPtr CheckTypes(Expr expr, std::string_view text);

/// Throws Error(kUsage) that names the first function, operator or modifier of the tree which is
/// parsed and not evaluated, or which only another server than this one knows.
void RefuseForeign(const Expr& tree, std::string_view text, const Semantics& semantics);

}  // namespace schedlens::promql
