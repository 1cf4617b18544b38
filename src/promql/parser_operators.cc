#include "promql/parser_operators.h"

namespace schedlens::promql {
namespace {

// The last three are MetricsQL's.
constexpr BinaryOperator kOperators[] = {
    {"or", BinaryOp::kOr, 1},
    {"and", BinaryOp::kAnd, 2},
    {"unless", BinaryOp::kUnless, 2},
    {"==", BinaryOp::kEqual, 3},
    {"!=", BinaryOp::kNotEqual, 3},
    {"<", BinaryOp::kLess, 3},
    {"<=", BinaryOp::kLessEqual, 3},
    {">", BinaryOp::kGreater, 3},
    {">=", BinaryOp::kGreaterEqual, 3},
    {"+", BinaryOp::kAdd, 4},
    {"-", BinaryOp::kSub, 4},
    {"*", BinaryOp::kMul, 5},
    {"/", BinaryOp::kDiv, 5},
    {"%", BinaryOp::kMod, 5},
    {"^", BinaryOp::kPow, 6},
    {"atan2", BinaryOp::kAtan2, 5},
    {"if", BinaryOp::kIf, 0},
    {"ifnot", BinaryOp::kIfNot, 0},
    {"default", BinaryOp::kDefault, kLowestPrecedence},
};

}  // namespace

const BinaryOperator* FindOperator(std::string_view text) {
  for (const BinaryOperator& one : kOperators) {
    if (one.text == text) return &one;
  }
  return nullptr;
}

}  // namespace schedlens::promql
