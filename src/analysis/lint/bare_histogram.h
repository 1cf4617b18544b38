#ifndef SCHEDLENS_ANALYSIS_LINT_BARE_HISTOGRAM_H_
#define SCHEDLENS_ANALYSIS_LINT_BARE_HISTOGRAM_H_

// Histograms asked for by their bare name, without _bucket, _sum or _count.

#include <set>
#include <string>

#include "analysis/lint/lint.h"
#include "analysis/lint/note.h"
#include "analysis/lint/presence.h"
#include "promql/ast.h"

namespace schedlens {

/// The histograms of which an expression asks by the bare name, so that any of their series may be
/// meant.
std::set<std::string> UnclearHistograms(const promql::Expr& tree, bool recorded);

/// Notes each histogram of kube-scheduler that is asked for by its bare name, once an expression: a
/// server that keeps the buckets as series of their own has nothing of that name. Told apart are
/// expressions that only a native histogram makes sense in ("native-histogram"), and all others
/// ("bare-histogram"), which are mended where one series is meant: the buckets where the expression
/// groups by `le`, the count below a sum. Nothing is noted of histograms that the server is seen to
/// keep as native ones, nor where another metric answers (`a or b`). `recorded` says that the
/// expression is a recording rule or a panel, which may keep a native histogram for others to read.
promql::ExprPtr MendBareHistograms(const promql::ExprPtr& tree, const MetricUse& use,
                                   const LintOptions& options, bool recorded, const LintNote& note);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_BARE_HISTOGRAM_H_
