#ifndef SCHEDLENS_PROMQL_PARSER_DURATIONS_H_
#define SCHEDLENS_PROMQL_PARSER_DURATIONS_H_

// Durations, which may be expressions (3.14 and newer by default), and what else follows operators.

#include <cstdint>
#include <string>
#include <string_view>

#include "promql/parser_tokens.h"

namespace schedlens::promql {

/// Milliseconds of `5m`, `300`, `5*1m`, `max_of(step(), 1m)`: everything up to a bracket or colon.
/// Throws Error(kUsage), where it is not one or beyond what Go's durations hold; `where` is for the
/// message.
std::int64_t ParseDurationExpression(TokenStream& tokens, std::string_view where);

/// The same after `offset`: one duration with a sign, or an expression in parentheses.
std::int64_t ParseOffsetDuration(TokenStream& tokens);

/// Takes `fill(0)`, or `fill_left` and `fill_right`, after an operator: what stands for series
/// without a partner. As text; empty without.
std::string TakeFills(TokenStream& tokens);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_PARSER_DURATIONS_H_
