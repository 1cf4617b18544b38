#ifndef SCHEDLENS_CLI_LINT_COMMAND_H_
#define SCHEDLENS_CLI_LINT_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `lint [FILE...]`: judges alert and recording rules and mends them.
Run SetUpLint(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_LINT_COMMAND_H_
