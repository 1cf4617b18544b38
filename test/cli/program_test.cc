#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/command.h"

namespace schedlens {
namespace {

using testing::Contains;
using testing::ElementsAre;

const DeclaredCommand& Find(const Program& program, const std::string& name) {
  for (const DeclaredCommand& command : program.commands) {
    if (command.name == name) return command;
  }
  throw std::runtime_error(name);
}

TEST(ProgramTest, DescribesEveryCommandOfTheTable) {
  const Program program = DeclareProgram();
  std::vector<std::string> table, declared;
  for (const std::string_view line : SplitAt(TextNamed("commands"), '\n')) {
    if (!line.starts_with("  ") && !line.starts_with("#")) table.emplace_back(line);
  }
  for (const DeclaredCommand& command : program.commands) {
    declared.push_back(command.name + ": " + command.summary);
    EXPECT_FALSE(command.examples.empty());
    EXPECT_THAT(NamesOf(command.options.front()), ElementsAre("-h", "--help"));
  }
  EXPECT_EQ(declared, table);
}

TEST(ProgramTest, KnowsChoicesLabelsAndFlags) {
  const Program program = DeclareProgram();
  const DeclaredCommand& completion = Find(program, "completion");
  EXPECT_THAT(completion.positionals.front().choices, ElementsAre("bash", "zsh", "fish"));
  EXPECT_EQ(completion.positionals.front().value, "SHELL");
  EXPECT_FALSE(completion.options.front().takes_value());
  EXPECT_THAT(Find(program, "explain").positionals.front().suggestions, Contains("bind.extender"));
}

TEST(ProgramTest, EveryOptionAndPositionalSaysWhatItIs) {
  const Program program = DeclareProgram();
  for (const DeclaredCommand& command : program.commands) {
    for (const Option& option : command.options) {
      EXPECT_FALSE(option.help.empty()) << command.name << " " << option.names;
    }
    for (const Option& positional : command.positionals) {
      EXPECT_FALSE(positional.help.empty()) << command.name << " " << positional.names;
    }
  }
}

}  // namespace
}  // namespace schedlens
