#ifndef SCHEDLENS_PROMQL_RANGE_CALLS_STEP_H_
#define SCHEDLENS_PROMQL_RANGE_CALLS_STEP_H_

// One window of one series: what each range function makes of it.

#include <cstddef>
#include <vector>

#include "promql/evaluation.h"
#include "stats/range_functions.h"

namespace schedlens::promql {

/// What is the same for all series and steps of one call.
struct RangeCall {
  const Evaluation& evaluation;
  FunctionId id;
  Edges edges;
  double range_seconds = 0;
  RateArithmetic arithmetic = RateArithmetic::kFrom251;
  std::vector<ScalarSteps> parameters;  // the scalar arguments
};

/// False where the window gives no result.
bool EvaluateRangeStep(const SampleWindow& window, const RangeCall& call, std::size_t step,
                       double* result);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_RANGE_CALLS_STEP_H_
