#ifndef SCHEDLENS_PROMQL_VECTOR_MATCHING_H_
#define SCHEDLENS_PROMQL_VECTOR_MATCHING_H_

#include "promql/ast.h"
#include "promql/evaluation.h"
#include "promql/step_vector.h"

namespace schedlens::promql {

/// Arithmetic and comparison between two vectors, one-to-one or grouped. Throws Error(kFailed) in
/// the server's words when a match is not unique.
/// `expr` is the operation, for remarks.
StepVector MatchVectors(const Evaluation& evaluation, const Binary& binary, const StepVector& lhs,
                        const StepVector& rhs, const Expr& expr);

/// and, or, unless.
StepVector CombineSets(const Binary& binary, const StepVector& lhs, const StepVector& rhs);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_VECTOR_MATCHING_H_
