#pragma once

// What people write around PromQL for VictoriaMetrics.

#include <string>
#include <string_view>

namespace schedlens::promql {

/// The expression with MetricsQL's templates written out (`WITH (a = x, f(q) = ...) f(a)`, of
/// expressions, selectors, ranges and sets of matchers) and without `keep_metric_names`, which
/// changes no value. The result asks for the same. A text with neither, and one whose templates are
/// malformed, is returned as it is. Throws Error(kUsage) for what holds no tokens of PromQL, and
/// for templates that grow beyond any use.
std::string WrittenOut(std::string_view text);

}  // namespace schedlens::promql
