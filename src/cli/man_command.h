#ifndef SCHEDLENS_CLI_MAN_COMMAND_H_
#define SCHEDLENS_CLI_MAN_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `man`: prints the manual page.
Run SetUpMan(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_MAN_COMMAND_H_
