#ifndef SCHEDLENS_CLI_EXPLAIN_COMMAND_H_
#define SCHEDLENS_CLI_EXPLAIN_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `explain [WORD]`: what a finding, stage, metric or word of the reports means. Offline.
Run SetUpExplain(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_EXPLAIN_COMMAND_H_
