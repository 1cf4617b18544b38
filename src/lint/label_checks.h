#pragma once

// Labels and label values that kube-scheduler's metrics do not have.

#include "lint/lint.h"
#include "lint/names.h"
#include "promql/ast.h"

namespace schedlens {

/// Judges the matchers of a selector by the labels and values that its metric has in the release
/// (in any, without one), and an `le` by the bounds of its buckets. Slips of the pen are mended;
/// `le` only when thresholds may be moved. Labels that a scrape or a relabelling can have added,
/// and values with a variable in them, are not judged.
void MendMatchers(promql::Selector& selector, const LintOptions& options, const LintNote& note);

/// Judges the labels an aggregation groups by: one that none of the metrics below it has makes no
/// groups. Only where all of them are kube-scheduler's.
void MendGrouping(promql::Aggregation& aggregation, const LintOptions& options,
                  const LintNote& note);

}  // namespace schedlens
