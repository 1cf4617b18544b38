#pragma once

// Which schedulers an alert is about, and whether a text is its name.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/series.h"
#include "promql/alert_expression.h"

namespace schedlens {

// Which schedulers an alert is about, from its own words.

/// The matchers as written, without braces.
std::string MatchersText(const std::vector<promql::Matcher>& matchers);

/// The expression's matchers that tell schedulers apart: those of what is measured (`le`, `result`,
/// ...) are not among them.
std::vector<promql::Matcher> TargetMatchers(const promql::AlertExpression& alert);

/// Of the labels that the alert's firings have in common those that tell schedulers apart: cluster,
/// job, instance, pod, and what the expression's `by (...)` keeps.
std::vector<promql::Matcher> FiringMatchers(const promql::AlertExpression& alert,
                                            const Labels& firing);

/// `selector` (matchers without braces) and all of `more` that it does not hold yet. Throws
/// Error(kUsage) where it is no list of matchers.
std::string JoinedSelector(const std::string& selector, const std::vector<promql::Matcher>& more);

/// The expression for the schedulers of `selector` only: its matchers are added to every selector
/// of a metric that a scheduler's process exposes. Word for word the same where none is missing.
std::string NarrowedExpression(const std::string& expr, const std::string& selector);

/// The expression without those matchers that tell schedulers apart by a label that is not `known`.
std::string WithoutUnknownTargets(const std::string& expr, const std::set<std::string>& known);

/// The expression with every range, but those of subqueries, of this length.
std::string WithRange(const std::string& expr, std::int64_t range_ms);

// Whether what stands for an alert is its name or its expression, where it could be both.

/// Words and nothing else. A metric's name alone makes no alert, so it is taken for a name at
/// first.
bool LooksLikeName(const std::string& text);

/// Whether a text that looks like a name, and that no rule has, is an expression: a number, the
/// name of one of the scheduler's metrics, or several words that are read as one here or, where
/// given, by `answered`, which asks the server.
bool ReadsAsExpression(const std::string& text,
                       const std::function<bool(const std::string&)>& answered);

}  // namespace schedlens
