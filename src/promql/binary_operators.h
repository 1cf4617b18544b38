#ifndef SCHEDLENS_PROMQL_BINARY_OPERATORS_H_
#define SCHEDLENS_PROMQL_BINARY_OPERATORS_H_

#include "promql/ast.h"

namespace schedlens::promql {

/// Arithmetic with Go's bits; a comparison gives 1 or 0.
double ApplyBinary(BinaryOp op, double a, double b);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_BINARY_OPERATORS_H_
