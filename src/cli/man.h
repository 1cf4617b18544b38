#ifndef SCHEDLENS_CLI_MAN_H_
#define SCHEDLENS_CLI_MAN_H_

#include <string>

#include "cli/program.h"

namespace schedlens {

/// schedlens(1) in roff: commands with their options and examples, exit codes, environment, files.
/// The same for the same build: no date in it.
std::string ManPage(const Program& program);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_MAN_H_
