#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/parse.h"
#include "cli/run_main.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CommandLineTest, FillsEveryKindOfTarget) {
  std::string text, called;
  std::vector<std::string> repeated, many;
  bool flag = false;
  int number = 0;
  std::optional<double> maybe;
  ParseWith({OptionOf("--text", "T", &text),
             OptionOf("--call", "T", [&](const std::string& value) { called = value; }),
             OptionOf("--repeat", "T", &repeated), OptionOf("--many", "T", &many, {.many = true}),
             OptionOf("-f,--flag", "", &flag), OptionOf("--number", "N", &number),
             OptionOf("--maybe", "N", &maybe)},
            {"--text", "a", "--call=b", "--repeat", "c", "--repeat", "d", "--many", "e", "f", "-f",
             "--number", "3", "--maybe", "0.5"});
  EXPECT_EQ(text, "a");
  EXPECT_EQ(called, "b");
  EXPECT_THAT(repeated, ElementsAre("c", "d"));
  EXPECT_THAT(many, ElementsAre("e", "f"));
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 3);
  EXPECT_EQ(maybe, 0.5);
}

TEST(CommandLineTest, AnOptionWithoutItsValueMeansTheImpliedOne) {
  const auto schema = [](const std::vector<std::string>& arguments) {
    std::string given;
    ParseWith({OptionOf("--schema", "WHICH", [&](const std::string& value) { given = value; },
                        {.choices = {"one", "two"}, .implied = "one"})},
              arguments);
    return given;
  };
  EXPECT_EQ(schema({}), "");
  EXPECT_EQ(schema({"--schema"}), "one");
  EXPECT_EQ(schema({"--schema", "two"}), "two");
  EXPECT_THROW(schema({"--schema", "three"}), Error);
}

TEST(CommandLineTest, RefusesWhatTheTableRulesOut) {
  std::string a, b;
  int number = 0;
  const Options options = {OptionOf("--a", "A", &a, {.choices = {"x"}, .excludes = {"--b"}}),
                           OptionOf("--b", "B", &b), OptionOf("--c", "C", &b, {.needs = {"--a"}}),
                           OptionOf("--number", "N", &number, {.range = {{1, 9}}})};
  const std::vector<std::vector<std::string>> rows = {{"--a", "y"},      {"--a", "x", "--b", "z"},
                                                      {"--c", "z"},      {"--number", "10"},
                                                      {"--number", "x"}, {"--number"},
                                                      {"extra"},         {"--numbre", "1"}};
  for (const auto& row : rows) {
    EXPECT_THROW(ParseWith(options, row), Error) << testing::PrintToString(row);
  }
}

TEST(CommandLineTest, HelpOfEachCommandStartsWithItsExamples) {
  for (const DeclaredCommand& command : DeclareProgram().commands) {
    const Ran ran = RunMain({std::string(command.name), "--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    const std::string& first = command.examples.front();
    EXPECT_THAT(ran.out, StartsWith("Examples:\n  " + first + "\n"));
    EXPECT_THAT(ran.out, HasSubstr(std::string(command.summary)));
    EXPECT_THAT(ran.out, HasSubstr("Usage: schedlens " + std::string(command.name)));
  }
}

}  // namespace
}  // namespace schedlens
