#ifndef SCHEDLENS_CLI_COMPLETION_H_
#define SCHEDLENS_CLI_COMPLETION_H_

// Completion scripts for shells, written from the command tree: static text, the binary is not
// run while typing.

#include <string>

#include "cli/program.h"

namespace schedlens {

/// The values to offer for an option; none where any may be.
const std::vector<std::string>& OfferedValues(const Option& option);
/// Whether its value names a file or a folder.
bool TakesFile(const Option& option);

/// For bash 4 or newer; works with and without the bash-completion package.
std::string BashCompletion(const Program& program);
/// To be saved as `_schedlens` in a folder of zsh's fpath.
std::string ZshCompletion(const Program& program);
/// To be saved as `schedlens.fish` in fish's completions folder.
std::string FishCompletion(const Program& program);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMPLETION_H_
