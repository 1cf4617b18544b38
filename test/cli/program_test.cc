#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  ASSERT_EQ(program.commands.size(), Commands().size());
  for (std::size_t i = 0; i < program.commands.size(); ++i) {
    EXPECT_EQ(program.commands[i].name, Commands()[i].name);
    EXPECT_EQ(program.commands[i].summary, Commands()[i].summary);
    EXPECT_FALSE(program.commands[i].examples.empty());
    EXPECT_THAT(NamesOf(program.commands[i].options.front()), ElementsAre("-h", "--help"));
  }
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
