#pragma once

#include <cstdint>
#include <string_view>

#include "promql/ast.h"

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

}  // namespace schedlens::promql
