#ifndef SCHEDLENS_PROMQL_PARSER_OPERATORS_H_
#define SCHEDLENS_PROMQL_PARSER_OPERATORS_H_

// The binary operators and how tightly each binds.

#include <string_view>

#include "promql/ast.h"

namespace schedlens::promql {

struct BinaryOperator {
  std::string_view text;
  BinaryOp op;
  int precedence;  ///< a higher one binds tighter
};

/// That of * and /, as in Prometheus: -1^2 is -(1^2).
inline constexpr int kUnaryPrecedence = 5;
inline constexpr int kLowestPrecedence = -1;

/// By its text, words in lower case; null for what is no operator.
const BinaryOperator* FindOperator(std::string_view text);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_PARSER_OPERATORS_H_
