#ifndef SCHEDLENS_ANALYSIS_ALERT_TARGET_H_
#define SCHEDLENS_ANALYSIS_ALERT_TARGET_H_

// Which schedulers an alert is about, from its own words.

#include <string>
#include <vector>

#include "contract/series.h"
#include "promql/alert_expression.h"

namespace schedlens {

/// Selectors to find the alert's schedulers by, the narrowest first: the expression's matchers with
/// what its firings have in common, then the matchers alone. Matchers of what is measured (`le`,
/// `result`, ...) say nothing about targets and are left out. Empty when nothing narrows.
std::vector<std::string> TargetSelectors(const promql::AlertExpression& alert,
                                         const Labels& firing);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_TARGET_H_
