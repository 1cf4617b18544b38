#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"

namespace schedlens {

// Grafana's variables in the queries of a dashboard: `$cluster`, `${cluster:regex}`, `[[cluster]]`,
// `$__rate_interval`. PromQL has none, so each is put into the form of what stands in its place.

/// A query that parses, and what was put in place of its variables. Variables inside of strings
/// stay: strings hold anything.
struct PlacedVariables {
  std::string expr;
  /// The text in place of a variable, the variable as written.
  std::vector<std::pair<std::string, std::string>> replaced;
};

/// Where a name and a number may both stand (`$x > 3`, `f($x)`) a variable counts as a number when
/// `as_numbers`, else as a name.
PlacedVariables PlaceVariables(std::string_view expr, bool as_numbers);

/// The text with the variables back in it; `$__rate_interval` too where lint put one.
std::string WithVariables(std::string text, const PlacedVariables& placed);
Message WithVariables(Message message, const PlacedVariables& placed);

/// The range that stands for `$__rate_interval`, whatever it is called.
constexpr std::int64_t kRateIntervalMs = 300001;

bool IsVariableRange(std::int64_t ms);
/// `$__interval`: the width of a pixel, which may hold no two scrapes.
bool IsPlainInterval(std::int64_t ms);
/// A label or metric name that is a variable, or holds one.
bool HoldsVariable(std::string_view name);
/// Whether a label's value or a pattern holds a variable.
bool HoldsVariableText(std::string_view value);
/// A number that stands for a variable.
bool IsVariableNumber(double value);

/// Whether an expression that is no PromQL is LogQL: behind the braces of its selector stands a
/// filter of lines or a pipe.
bool IsLogQl(std::string_view expression);

}  // namespace schedlens
