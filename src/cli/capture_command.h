#ifndef SCHEDLENS_CLI_CAPTURE_COMMAND_H_
#define SCHEDLENS_CLI_CAPTURE_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `schedlens capture`: everything a diagnosis needs, from a live source into one file.
Run SetUpCapture(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_CAPTURE_COMMAND_H_
