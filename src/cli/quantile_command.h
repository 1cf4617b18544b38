#ifndef SCHEDLENS_CLI_QUANTILE_COMMAND_H_
#define SCHEDLENS_CLI_QUANTILE_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `quantile METRIC|EXPR`: what a server shows, what is proven, and the best estimate.
Run SetUpQuantile(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_QUANTILE_COMMAND_H_
