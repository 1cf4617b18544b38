#ifndef SCHEDLENS_CLI_HELP_H_
#define SCHEDLENS_CLI_HELP_H_

// The `--help` pages: examples first, since most readers want one line to copy.

#include "cli/command.h"

namespace schedlens {

/// Makes the help of a command's subcommand start with its examples.
void SetHelp(CLI::App& subcommand, const Command& command);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_HELP_H_
