#pragma once

// Of whom a rule speaks: processes of other jobs, several clusters in one sum; and how long its
// alert has to hold.

#include <vector>

#include "lint/lint.h"
#include "lint/names.h"
#include "promql/ast.h"

namespace schedlens {

/// Notes an alert whose `for` is shorter than two evaluations of its group. Groups without an
/// interval of their own take the server's, which is not known here.
void JudgeFor(const LintRule& rule, const LintNote& note);

/// Notes an alert that adds up a metric which other components have as well, without a matcher that
/// chooses some of them and without a grouping that tells them apart.
void JudgeJobs(const LintRule& rule, const promql::Expr& tree, const LintNote& note);

/// Whether some rule groups metrics of kube-scheduler by `cluster`: the server holds several.
bool AreOfSeveralClusters(const std::vector<promql::ExprPtr>& rules);

/// Notes a sum over metrics of kube-scheduler that puts several clusters into one, and keeps
/// `cluster` in it where that cannot disturb the matching of two sides.
promql::ExprPtr MendClusters(const promql::ExprPtr& tree, const LintNote& note);

}  // namespace schedlens
