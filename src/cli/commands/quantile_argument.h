#ifndef SCHEDLENS_CLI_COMMANDS_QUANTILE_ARGUMENT_H_
#define SCHEDLENS_CLI_COMMANDS_QUANTILE_ARGUMENT_H_

// The METRIC|EXPR argument of `quantile` and `compare`.

#include <string>

#include "analysis/quantile/quantile.h"

namespace schedlens {

/// A name or `name{matchers}` becomes metric and selector, anything else an expression. Throws
/// Error(kUsage) when it does not parse. `selector` is added to what the text itself selects.
QuantileRequest ReadQuantileArgument(const std::string& text, const std::string& selector);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_QUANTILE_ARGUMENT_H_
