#ifndef SCHEDLENS_PROMQL_PARSER_H_
#define SCHEDLENS_PROMQL_PARSER_H_

#include <string_view>

#include "promql/ast.h"

namespace schedlens::promql {

/// Reads one expression of the dialect and checks its types. Throws Error(kUsage) naming the token
/// and its line:column for anything malformed or outside the dialect.
ExprPtr Parse(std::string_view text);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_PARSER_H_
