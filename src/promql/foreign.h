#ifndef SCHEDLENS_PROMQL_FOREIGN_H_
#define SCHEDLENS_PROMQL_FOREIGN_H_

// What servers answer and this evaluator does not.

#include <string_view>

#include "promql/ast.h"
#include "schedlens/semantics.h"

namespace schedlens::promql {

/// Throws Error(kUsage) that names the first function, operator or modifier of the tree which is
/// parsed and not evaluated, or which only another server than this one knows.
void RefuseForeign(const Expr& tree, std::string_view text, const Semantics& semantics);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_FOREIGN_H_
