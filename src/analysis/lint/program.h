#ifndef SCHEDLENS_ANALYSIS_LINT_PROGRAM_H_
#define SCHEDLENS_ANALYSIS_LINT_PROGRAM_H_

// Whose metric an expression asks for, where several programs have one of the name.

#include "promql/ast.h"

namespace schedlens {

/// Whether the matchers say that a metric which every client of the API server has
/// (rest_client_...) is another program's than a component of Kubernetes: operators have labels and
/// buckets of their own under the same names. Judged by what names a target (job, service, pod,
/// ...), none of it holding the name of a component. False for metrics of kube-scheduler alone,
/// where nothing names a target, and for values with a variable.
bool IsOfAnotherProgram(const promql::Selector& selector);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_PROGRAM_H_
