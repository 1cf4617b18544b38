#include "cli/completion.h"

#include <memory>
#include <ostream>
#include <string>

#include "cli/commands/commands.h"

namespace schedlens {
namespace {

struct Shell {
  std::string_view name;
  std::string (*script)(const Program&);
};

constexpr Shell kShells[] = {
    {"bash", BashCompletion}, {"zsh", ZshCompletion}, {"fish", FishCompletion}};

}  // namespace

Declared DeclareCompletion() {
  const auto name = std::make_shared<std::string>();
  return {{{.names = "shell",
            .value = "SHELL",
            .help = "the shell to complete for",
            .target = name.get(),
            .required = true,
            .choices = {"bash", "zsh", "fish"}}},
          [name](const Context& context) {
            for (const Shell& shell : kShells) {
              if (shell.name == *name) context.out << shell.script(DeclareProgram());
            }
            return 0;
          }};
}

}  // namespace schedlens
