#ifndef SCHEDLENS_CLI_COMPLETION_COMMAND_H_
#define SCHEDLENS_CLI_COMPLETION_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `completion bash|zsh|fish`: prints the shell's script.
Run SetUpCompletion(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMPLETION_COMMAND_H_
