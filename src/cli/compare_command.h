#ifndef SCHEDLENS_CLI_COMPARE_COMMAND_H_
#define SCHEDLENS_CLI_COMPARE_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `compare A B`: why quantile A reads above quantile B, and which of the two to believe.
Run SetUpCompare(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMPARE_COMMAND_H_
