#ifndef SCHEDLENS_ANALYSIS_LINT_BUCKETS_H_
#define SCHEDLENS_ANALYSIS_LINT_BUCKETS_H_

#include <cstdint>

#include "analysis/lint/lint.h"
#include "analysis/lint/note.h"
#include "promql/ast.h"

namespace schedlens {

/// Judges and mends what stands in a histogram_quantile of two arguments: its rank, buckets without
/// a rate (which get one over `window_ms`), a grouping that loses `le`, and one that mixes results.
void MendQuantileCall(promql::Call& call, const LintOptions& options, std::int64_t window_ms,
                      const LintNote& note);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_BUCKETS_H_
