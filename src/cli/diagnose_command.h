#ifndef SCHEDLENS_CLI_DIAGNOSE_COMMAND_H_
#define SCHEDLENS_CLI_DIAGNOSE_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `schedlens diagnose`: source and window (or alert) in, ranked causes with evidence out. Exit
/// code 3 when a cause reaches `--fail-on`, 5 when the data is insufficient.
Run SetUpDiagnose(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_DIAGNOSE_COMMAND_H_
