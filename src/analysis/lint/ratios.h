#ifndef SCHEDLENS_ANALYSIS_LINT_RATIOS_H_
#define SCHEDLENS_ANALYSIS_LINT_RATIOS_H_

#include "analysis/lint/note.h"
#include "promql/ast.h"

namespace schedlens {

/// `rate(x{result="error"}[5m]) / rate(x[5m])`: vector matching pairs each series with itself.
/// Mended by adding up without the labels that only the left side chooses.
void MendSelfRatio(promql::Expr& node, const LintNote& note);

/// A sum of the pods that plugins rejected over these plugins.
void JudgePerPlugin(const promql::Expr& node, const LintNote& note);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_RATIOS_H_
