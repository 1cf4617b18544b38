#include "cli/completion_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "cli/completion.h"

namespace schedlens {
namespace {

struct Shell {
  std::string_view name;
  std::string (*script)(const ProgramSpec&);
};

constexpr Shell kShells[] = {
    {"bash", BashCompletion}, {"zsh", ZshCompletion}, {"fish", FishCompletion}};

}  // namespace

Run SetUpCompletion(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  app.add_option("shell", *name, "the shell to write for")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  return [name](const Context& context) {
    for (const Shell& shell : kShells) {
      if (shell.name == *name) context.out << shell.script(DescribeProgram());
    }
    return 0;
  };
}

}  // namespace schedlens
