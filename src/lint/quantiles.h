#pragma once

// Quantiles: averaged ones, their buckets, thresholds they are compared with.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lint/lint.h"
#include "lint/names.h"
#include "promql/ast.h"

namespace schedlens {

// Quantiles that are averaged or added up, over series or over time, directly or by way of a
// recording rule.

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

/// Judges and mends what stands in a histogram_quantile of two arguments: its rank, buckets without
/// a rate (which get one over `window_ms`), a grouping that loses `le`, and one that mixes results.
void MendQuantileCall(promql::Call& call, const LintOptions& options, std::int64_t window_ms,
                      const LintNote& note);

/// Judges the number that a histogram quantile, also a recorded one, is compared with by the bounds
/// of its metric in that release: inside a bucket, or over the top one. The tree with the nearest
/// bound instead; as given where there is nothing to say, and for a metric that is none of the
/// scheduler's.
promql::ExprPtr MendThreshold(const promql::ExprPtr& tree, const RecordedRules& recorded,
                              std::optional<int> release, const LintNote& note);

}  // namespace schedlens
