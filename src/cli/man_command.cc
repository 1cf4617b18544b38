#include "cli/man_command.h"

#include <ostream>

#include "cli/man.h"

namespace schedlens {

Run SetUpMan(CLI::App& /*app*/) {
  return [](const Context& context) {
    context.out << ManPage(DescribeProgram());
    return 0;
  };
}

}  // namespace schedlens
