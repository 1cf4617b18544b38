#pragma once

// Rates, sums, counts and ratios.

#include "lint/names.h"
#include "lint/quantiles.h"
#include "promql/ast.h"

namespace schedlens {

// Counters that are read as if they were gauges, gauges as if they were counters, and sums that are
// made before the rate.

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

// Conditions on how many series there are.

/// Notes a comparison that asks whether the count of a scheduler's series is 0 (`== 0`, `< 1`),
/// which never holds: the count of no series is no series. Mended with absent() where nothing is
/// grouped. Counts of others' series are left alone.
void MendCountOfNothing(promql::Expr& node, const LintNote& note);

/// `rate(x{result="error"}[5m]) / rate(x[5m])`: vector matching pairs each series with itself.
/// Mended by adding up without the labels that only the left side chooses.
void MendSelfRatio(promql::Expr& node, const LintNote& note);

/// A sum of the pods that plugins rejected over these plugins.
void JudgePerPlugin(const promql::Expr& node, const LintNote& note);

}  // namespace schedlens
