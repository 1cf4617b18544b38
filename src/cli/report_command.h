#ifndef SCHEDLENS_CLI_REPORT_COMMAND_H_
#define SCHEDLENS_CLI_REPORT_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `report FILE`: renders a diagnosis that `diagnose -o json` saved, to the same bytes that
/// `diagnose` itself would have printed.
Run SetUpReport(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_REPORT_COMMAND_H_
