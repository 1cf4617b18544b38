#ifndef SCHEDLENS_PROMQL_REFUSE_NATIVE_H_
#define SCHEDLENS_PROMQL_REFUSE_NATIVE_H_

#include "promql/evaluation.h"

namespace schedlens::promql {

/// Throws Error(kUsage), naming a series, when the expression is a selector that finds native
/// histograms: for whoever would pass over them in silence.
void RefuseNative(const Evaluation& evaluation, const Expr& expr);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_REFUSE_NATIVE_H_
