#pragma once

// Text of PromQL to trees and back, and what trees may hold.

#include <cstdint>
#include <string>
#include <string_view>

#include "promql/ast.h"
#include "schedlens/semantics.h"

namespace schedlens::promql {

/// What `step()` and `range()` in a duration stand for: zero in an instant query. Where the query
/// is not known, a minute and an hour.
struct DurationContext {
  std::int64_t step_ms = 60 * 1000;
  std::int64_t range_ms = 60 * 60 * 1000;
};

/// Reads one expression as Prometheus and VictoriaMetrics do, and checks its types. Some of what
/// is read cannot be evaluated here (RefuseForeign). Throws Error(kUsage) naming the token and its
/// line:column for anything malformed, and for functions that no known server has.
ExprPtr Parse(std::string_view text, const DurationContext& context = {});

/// The same for what is meant for Prometheus: MetricsQL's `rate(x)` without a range and its
/// `default`, `if` and `ifnot` are errors too.
ExprPtr ParsePrometheus(std::string_view text);

/// Sets the node's kind after checking that its children (already checked) are of the kinds it
/// takes. Throws Error(kUsage) with the child's position in `text`.
ExprPtr CheckTypes(Expr expr, std::string_view text);

/// Throws Error(kUsage) that names the first function, operator or modifier of the tree which is
/// parsed and not evaluated, or which only another server than this one knows.
void RefuseForeign(const Expr& tree, std::string_view text, const Semantics& semantics);

/// The expression with MetricsQL's templates written out (`WITH (a = x, f(q) = ...) f(a)`, of
/// expressions, selectors, ranges and sets of matchers) and without `keep_metric_names`, which
/// changes no value. The result asks for the same. A text with neither, and one whose templates are
/// malformed, is returned as it is. Throws Error(kUsage) for what holds no tokens of PromQL, and
/// for templates that grow beyond any use.
std::string WrittenOut(std::string_view text);

/// `text`, which parses to `before`, changed so that it parses to `after`: what is the same in both
/// trees stays to the letter, with its blanks, line breaks and comments. Parts of another shape are
/// written canonically, and parentheses around an argument stay. Places in `after` do not matter.
std::string Edited(std::string_view text, const Expr& before, const Expr& after);

}  // namespace schedlens::promql
