#include "promql/binary_operators.h"

#include <cmath>

#include "stats/go_math.h"

namespace schedlens::promql {

double ApplyBinary(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kDiv:
      return a / b;
    case BinaryOp::kMod:
      return std::fmod(a, b);
    case BinaryOp::kPow:
      return go::Pow(a, b);
    case BinaryOp::kEqual:
      return a == b ? 1 : 0;
    case BinaryOp::kNotEqual:
      return a != b ? 1 : 0;
    case BinaryOp::kLess:
      return a < b ? 1 : 0;
    case BinaryOp::kLessEqual:
      return a <= b ? 1 : 0;
    case BinaryOp::kGreater:
      return a > b ? 1 : 0;
    case BinaryOp::kGreaterEqual:
      return a >= b ? 1 : 0;
    case BinaryOp::kOr:
    case BinaryOp::kAnd:
    case BinaryOp::kUnless:
    case BinaryOp::kAtan2:
    case BinaryOp::kDefault:
    case BinaryOp::kIf:
    case BinaryOp::kIfNot:
      break;
  }
  return 0;
}

}  // namespace schedlens::promql
