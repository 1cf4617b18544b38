// Binary operators between scalars and vectors. Vector with vector is in vector_matching.cc.

#include <utility>

#include "promql/binary_operators.h"
#include "promql/evaluation.h"
#include "promql/native_operations.h"
#include "promql/vector_matching.h"

namespace schedlens::promql {
namespace {

/// A vector and one number a step. A filter keeps the vector's own value, on whichever side it is.
StepVector WithScalar(const Evaluation& evaluation, const Binary& binary, StepVector vector,
                      const ScalarSteps& scalar, bool scalar_left, const Expr& expr) {
  const bool filter = IsComparison(binary.op) && !binary.return_bool;
  bool natives = false;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::span<double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (NativePtr native = vector.Native(row, i)) {
        const Operand histogram{0, std::move(native)};
        const Operand number{scalar[i], nullptr};
        NativeResult result = ApplyNative(evaluation, binary, scalar_left ? number : histogram,
                                          scalar_left ? histogram : number, expr);
        natives = true;
        vector.SetNative(row, i, result.keep ? std::move(result.value.native) : nullptr);
        continue;
      }
      if (IsAbsent(values[i])) continue;
      const double result = scalar_left ? ApplyBinary(binary.op, scalar[i], values[i])
                                        : ApplyBinary(binary.op, values[i], scalar[i]);
      if (!filter) {
        values[i] = result;
      } else if (result == 0) {
        values[i] = Absent();
      }
    }
    if (!filter) vector.set_labels(row, WithoutName(evaluation, vector.labels(row)));
  }
  DropNaNs(evaluation, &vector);
  if (filter) return WithoutEmptyRows(vector);
  if (natives) vector = WithoutEmptyRows(vector);
  return JoinEqualRows(std::move(vector), false);
}

}  // namespace

StepValue EvaluateBinary(const Evaluation& evaluation, const Binary& binary, const Expr& expr) {
  if (expr.kind == ValueKind::kScalar) {
    ScalarSteps lhs = EvaluateScalar(evaluation, *binary.lhs);
    const ScalarSteps rhs = EvaluateScalar(evaluation, *binary.rhs);
    for (std::size_t i = 0; i < lhs.size(); ++i) lhs[i] = ApplyBinary(binary.op, lhs[i], rhs[i]);
    return lhs;
  }
  if (binary.lhs->kind == ValueKind::kScalar) {
    const ScalarSteps scalar = EvaluateScalar(evaluation, *binary.lhs);
    return WithScalar(evaluation, binary, EvaluateMixed(evaluation, *binary.rhs), scalar, true,
                      expr);
  }
  if (binary.rhs->kind == ValueKind::kScalar) {
    const ScalarSteps scalar = EvaluateScalar(evaluation, *binary.rhs);
    return WithScalar(evaluation, binary, EvaluateMixed(evaluation, *binary.lhs), scalar, false,
                      expr);
  }
  const StepVector lhs = EvaluateMixed(evaluation, *binary.lhs);
  const StepVector rhs = EvaluateMixed(evaluation, *binary.rhs);
  StepVector result = IsSetOperation(binary.op) ? CombineSets(binary, lhs, rhs)
                                                : MatchVectors(evaluation, binary, lhs, rhs, expr);
  DropNaNs(evaluation, &result);
  return result;
}

}  // namespace schedlens::promql
