#ifndef SCHEDLENS_PROMQL_TYPE_CHECK_H_
#define SCHEDLENS_PROMQL_TYPE_CHECK_H_

#include <string_view>

#include "promql/ast.h"

namespace schedlens::promql {

/// Sets the node's kind after checking that its children (already checked) are of the kinds it
/// takes. Throws Error(kUsage) with the child's position in `text`.
ExprPtr CheckTypes(Expr expr, std::string_view text);

/// "scalar", "string", "instant vector", "range vector".
std::string_view KindName(ValueKind kind);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_TYPE_CHECK_H_
