#ifndef SCHEDLENS_PROMQL_PARSER_SELECTORS_H_
#define SCHEDLENS_PROMQL_PARSER_SELECTORS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "promql/ast.h"
#include "promql/parser_tokens.h"

namespace schedlens::promql {

/// Reads `{...}`, if there, of a selector whose metric name ("" for none) began at `begin` and is
/// taken already. Throws Error(kUsage) for malformed matchers and for a selector of everything.
ExprPtr ParseSelector(TokenStream& tokens, const std::string& name, std::size_t begin);

/// Why a regular expression is not given to RE2: it is so long that compiling it may take minutes.
/// Empty where it is given.
std::string TooLongPattern(std::string_view pattern);

/// Reads what may follow a selector or an expression, any number of times: `[5m]`, `[5m:1m]`,
/// `offset 1h`, `@ 1609746000`, `anchored`, `smoothed`. Throws Error(kUsage) where one of them does
/// not belong.
ExprPtr ParseSuffixes(TokenStream& tokens, ExprPtr expr);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_PARSER_SELECTORS_H_
