#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/command.h"
#include "schedlens/error.h"

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

TEST(ProgramTest, EveryRowOfTheOptionsIsDeclared) {
  const Program program = DeclareProgram();
  std::vector<std::string> declared;
  const auto add = [&](const Options& options) {
    for (const Option& option : options) {
      EXPECT_FALSE(option.help.empty()) << option.names;
      const std::string value = option.takes_value() ? " " + option.value : "";
      declared.push_back(option.names + value + ": " + option.help);
    }
  };
  add(program.options);
  for (const DeclaredCommand& command : program.commands) {
    add(Together({command.options, command.positionals}));
  }
  for (const std::string_view line : SplitAt(TextNamed("options"), '\n')) {
    if (line.empty() || line.starts_with("#")) continue;
    const std::size_t words = line.find(": ");
    const std::size_t mark = line.find(':');  // what tells options of one name apart
    const std::string row(mark < words ? line.substr(mark + 1) : line);
    EXPECT_THAT(declared, Contains(testing::StartsWith(row)));
  }
}

TEST(ProgramTest, RefusesAnOptionWithoutARow) {
  EXPECT_THROW(Option("--no-such"), Error);
  EXPECT_THROW(Option("--time"), Error);  // a row begins so, and is another's
}

}  // namespace
}  // namespace schedlens
