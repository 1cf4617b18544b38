#include "cli/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schedlens {
namespace {

using testing::Contains;
using testing::ElementsAre;

const CommandSpec& Find(const ProgramSpec& program, const std::string& name) {
  for (const CommandSpec& command : program.commands) {
    if (command.name == name) return command;
  }
  throw std::runtime_error(name);
}

TEST(App, DescribesEveryCommandOfTheTable) {
  const ProgramSpec program = DescribeProgram();
  ASSERT_EQ(program.commands.size(), Commands().size());
  for (std::size_t i = 0; i < program.commands.size(); ++i) {
    EXPECT_EQ(program.commands[i].name, Commands()[i].name);
    EXPECT_EQ(program.commands[i].summary, Commands()[i].summary);
    EXPECT_FALSE(program.commands[i].examples.empty());
    EXPECT_THAT(program.commands[i].options.front().names, ElementsAre("-h", "--help"));
  }
}

TEST(App, KnowsChoicesLabelsAndFlags) {
  const ProgramSpec program = DescribeProgram();
  const CommandSpec& completion = Find(program, "completion");
  EXPECT_THAT(completion.positionals.front().choices, ElementsAre("bash", "zsh", "fish"));
  EXPECT_EQ(completion.positionals.front().label, "SHELL");
  EXPECT_FALSE(completion.options.front().takes_value());
  EXPECT_THAT(Find(program, "explain").positionals.front().choices, Contains("bind.extender"));
}

TEST(App, EveryOptionAndPositionalSaysWhatItIs) {
  const ProgramSpec program = DescribeProgram();
  for (const CommandSpec& command : program.commands) {
    for (const OptionSpec& option : command.options) {
      EXPECT_FALSE(option.description.empty()) << command.name << " " << option.names.front();
    }
    for (const OptionSpec& positional : command.positionals) {
      EXPECT_FALSE(positional.description.empty()) << command.name << " " << positional.label;
    }
  }
}

}  // namespace
}  // namespace schedlens
