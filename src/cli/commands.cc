#include "cli/command.h"

namespace schedlens {

// One row a command: name, one-line summary, examples (one shell line each, the first one works as
// typed in a directory of examples/incidents), SetUp<Name> of src/cli/<name>_command.h. Rows are in
// the order of the help.
const std::vector<Command>& Commands() {
  static const std::vector<Command> all = {
  };
  return all;
}

}  // namespace schedlens
