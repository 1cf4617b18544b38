#ifndef SCHEDLENS_ANALYSIS_LINT_AVERAGES_H_
#define SCHEDLENS_ANALYSIS_LINT_AVERAGES_H_

// Quantiles that are averaged or added up, over series or over time, directly or by way of a
// recording rule.

#include <map>
#include <string>
#include <vector>

#include "analysis/lint/lint.h"
#include "analysis/lint/note.h"
#include "promql/ast.h"

namespace schedlens {

bool IsHistogramQuantile(const promql::Expr& expr);

/// Recorded names with the expressions of their rules, each once.
using RecordedRules = std::map<std::string, std::vector<promql::ExprPtr>>;
/// Rules that do not parse are left out.
RecordedRules FindRecordedRules(const std::vector<LintRule>& rules);
/// The histogram_quantile that a node is, or the first one that the recorded metric it selects is.
/// Null for any other node.
const promql::Call* QuantileOf(const promql::Expr& expr, const RecordedRules& recorded);

/// When the node averages quantiles it notes "averaged-quantiles" and becomes the quantile of the
/// added buckets: the same labels over series, the longer range over time. A recorded name with
/// matchers of its own is noted and left. The worst one (max, min) of several quantiles is theirs.
void MendAveragedQuantiles(promql::Expr& node, const RecordedRules& recorded, const LintNote& note);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_AVERAGES_H_
