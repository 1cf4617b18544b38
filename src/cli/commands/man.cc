#include "cli/man.h"

#include <ostream>

#include "cli/commands/commands.h"

namespace schedlens {

Declared DeclareMan() {
  return {{}, [](const Context& context) {
            context.out << ManPage(DeclareProgram());
            return 0;
          }};
}

}  // namespace schedlens
