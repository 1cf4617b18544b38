#ifndef SCHEDLENS_CLI_SIMULATE_COMMAND_H_
#define SCHEDLENS_CLI_SIMULATE_COMMAND_H_

// `schedlens simulate`: runs the reference scheduler on a scenario.

#include "cli/command.h"

namespace schedlens {

Run SetUpSimulate(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_SIMULATE_COMMAND_H_
