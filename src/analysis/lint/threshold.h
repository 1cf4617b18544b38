#ifndef SCHEDLENS_ANALYSIS_LINT_THRESHOLD_H_
#define SCHEDLENS_ANALYSIS_LINT_THRESHOLD_H_

#include <optional>

#include "analysis/lint/averages.h"
#include "analysis/lint/note.h"
#include "promql/ast.h"

namespace schedlens {

/// Judges the number that a histogram quantile, also a recorded one, is compared with by the bounds
/// of its metric in that release: inside a bucket, or over the top one. The tree with the nearest
/// bound instead; as given where there is nothing to say, and for a metric that is none of the
/// scheduler's.
promql::ExprPtr MendThreshold(const promql::ExprPtr& tree, const RecordedRules& recorded,
                              std::optional<int> release, const LintNote& note);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_THRESHOLD_H_
