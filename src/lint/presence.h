#pragma once

// Whether the metrics of an expression exist, and histograms asked for by their bare name.

#include <set>
#include <string>

#include "kube/metrics.h"
#include "lint/lint.h"
#include "lint/names.h"
#include "promql/ast.h"

namespace schedlens {

// Whether the metrics of an expression exist, by the release.

/// "1.24".
std::string ReleaseName(int minor);

/// Gives a selector another metric, in its name and in the matcher of it.
void RenameSelector(promql::Selector& selector, const std::string& name);

/// How an expression uses the metrics in it.
struct MetricUse {
  std::set<std::string> absent;  ///< names that stand in absent() and nowhere else
  /// Names of which another one is asked where they have no series (`a or b`), for a rule that
  /// serves several releases.
  std::set<std::string> with_another;
  /// Histograms asked for by their bare name where any of their series may be meant.
  std::set<std::string> unclear;
};
MetricUse UseOfMetrics(const promql::Expr& tree, const LintOptions& options);

/// Whether an expression asks for a metric that some release of kube-scheduler itself has, or names
/// a job that is called after it.
bool NamesSchedulersMetric(const promql::Expr& tree);

/// Notes a metric that the release has not, hides, or never had; without a release one that some
/// release lacks. A name that begins like the scheduler's and is near none of its metrics may be
/// another program's: that is a note. Renames the selector where a successor has the same buckets,
/// and where the name is a slip of the pen.
void MendPresence(promql::Selector& selector, const MetricUse& use, const LintOptions& options,
                  const LintNote& note);

/// Whether the cluster that the rules are for shows the metric; true where that is not known.
bool IsThere(const kube::MetricRow& row, const LintOptions& options);

// Histograms asked for by their bare name, without _bucket, _sum or _count.

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
