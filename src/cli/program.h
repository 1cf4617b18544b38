#ifndef SCHEDLENS_CLI_PROGRAM_H_
#define SCHEDLENS_CLI_PROGRAM_H_

// The whole program as data: its own options, and every command with its options.

#include <string>
#include <vector>

#include "cli/command.h"

namespace schedlens {

struct DeclaredCommand {
  std::string name = {};
  std::string summary = {};
  std::vector<std::string> examples = {};
  Options options = {};      ///< `-h,--help` is the first
  Options positionals = {};  ///< in the order in which they are typed
  Run run = {};
};

struct Program {
  std::string summary;
  Options options;
  std::vector<DeclaredCommand> commands;
};

/// The commands of the table, each with fresh targets.
Program DeclareProgram();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_PROGRAM_H_
