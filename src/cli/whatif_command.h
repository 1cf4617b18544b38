#ifndef SCHEDLENS_CLI_WHATIF_COMMAND_H_
#define SCHEDLENS_CLI_WHATIF_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `schedlens whatif`: e2e and pod quantiles before and after a change, through the reference
/// scheduler fitted to the window.
Run SetUpWhatif(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_WHATIF_COMMAND_H_
