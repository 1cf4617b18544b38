#ifndef SCHEDLENS_ANALYSIS_ALERT_NAME_OR_EXPRESSION_H_
#define SCHEDLENS_ANALYSIS_ALERT_NAME_OR_EXPRESSION_H_

// Whether what stands for an alert is its name or its expression, where it could be both.

#include <functional>
#include <string>

namespace schedlens {

/// Words and nothing else. A metric's name alone makes no alert, so it is taken for a name at
/// first.
bool LooksLikeName(const std::string& text);

/// Whether a text that looks like a name, and that no rule has, is an expression: a number, the
/// name of one of the scheduler's metrics, or several words that are read as one here or, where
/// given, by `answered`, which asks the server.
bool ReadsAsExpression(const std::string& text,
                       const std::function<bool(const std::string&)>& answered);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_NAME_OR_EXPRESSION_H_
