#ifndef SCHEDLENS_CLI_COMMANDS_QUANTILE_ARGUMENT_H_
#define SCHEDLENS_CLI_COMMANDS_QUANTILE_ARGUMENT_H_

// The METRIC|EXPR argument and the -q of `quantile` and `compare`.

#include <optional>
#include <string>

#include "analysis/quantile/quantile.h"
#include "cli/option.h"

namespace schedlens {

/// A name or `name{matchers}` becomes metric and selector, anything else an expression. Throws
/// Error(kUsage) when it does not parse. `selector` is added to what the text itself selects.
QuantileRequest ReadQuantileArgument(const std::string& text, const std::string& selector);

/// `-q`: a number from 0 to 1. Anything else throws Error(kUsage) while parsing, with the number
/// that a percentage means. `q` must outlive the option.
Option QuantileOption(const std::string& help, std::optional<double>* q);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_QUANTILE_ARGUMENT_H_
