#ifndef SCHEDLENS_ANALYSIS_LINT_RATES_H_
#define SCHEDLENS_ANALYSIS_LINT_RATES_H_

// Counters that are read as if they were gauges, gauges as if they were counters, and sums that are
// made before the rate.

#include "analysis/lint/averages.h"
#include "analysis/lint/note.h"
#include "promql/ast.h"

namespace schedlens {

/// A call of rate() and its kin on a gauge becomes delta() or deriv(), one of delta(), idelta() or
/// deriv() on a counter increase() or rate(). Other nodes stay.
void MendRangeFunction(promql::Expr& node, const LintNote& note);

/// `rate(sum(x)[5m:])` becomes `sum(rate(x[5m]))`, also where a recording rule holds the sum: the
/// restart of one process is a fall of the sum, and rate() takes it for a reset of all.
void MendSumBeforeRate(promql::Expr& node, const RecordedRules& recorded, const LintNote& note);

/// A counter of kube-scheduler that is compared with a number, or whose quantile is taken, gets its
/// rate() in a ratio of two, else its increase(), over `window_ms`. `== 0` and a counter minus what
/// it was are meant as they stand.
promql::ExprPtr MendRawCounters(const promql::ExprPtr& tree, std::int64_t window_ms,
                                const LintNote& note);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_RATES_H_
