#ifndef SCHEDLENS_CLI_APP_H_
#define SCHEDLENS_CLI_APP_H_

// The command line as CLI11 sees it, built from the command table; and as plain values, from which
// completion and the man page are written.

#include <string>
#include <vector>

#include "cli/command.h"

namespace schedlens {

/// Declares the program's own options and every command of the table on `app`. Returns what runs
/// each command, in the table's order.
std::vector<Run> SetUpApp(CLI::App& app);

/// One option or positional argument.
struct OptionSpec {
  std::vector<std::string> names;  ///< with dashes; empty for a positional
  std::string label;               ///< of the value, e.g. FILE; empty for a flag
  std::string description;
  std::string group;
  std::vector<std::string> choices;  ///< the only values there are; empty when any
  bool takes_value() const { return !label.empty(); }
};

struct CommandSpec {
  std::string name;
  std::string summary;
  std::vector<std::string> examples;
  std::vector<OptionSpec> options;
  std::vector<OptionSpec> positionals;
};

struct ProgramSpec {
  std::string summary;
  std::vector<OptionSpec> options;
  std::vector<CommandSpec> commands;
};

/// Walks the whole tree. Options that CLI11 hides (no group) are left out.
ProgramSpec DescribeProgram();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_APP_H_
