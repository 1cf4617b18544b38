#ifndef SCHEDLENS_CLI_DOCTOR_COMMAND_H_
#define SCHEDLENS_CLI_DOCTOR_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `schedlens doctor`: whether a diagnosis can be made from a source, and what stands in its way.
Run SetUpDoctor(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_DOCTOR_COMMAND_H_
