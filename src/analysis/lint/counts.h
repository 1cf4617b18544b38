#ifndef SCHEDLENS_ANALYSIS_LINT_COUNTS_H_
#define SCHEDLENS_ANALYSIS_LINT_COUNTS_H_

// Conditions on how many series there are.

#include "analysis/lint/note.h"
#include "promql/ast.h"

namespace schedlens {

/// Notes a comparison that asks whether the count of a scheduler's series is 0 (`== 0`, `< 1`),
/// which never holds: the count of no series is no series. Mended with absent() where nothing is
/// grouped. Counts of others' series are left alone.
void MendCountOfNothing(promql::Expr& node, const LintNote& note);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_COUNTS_H_
