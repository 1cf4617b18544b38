#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

TEST(CompletionCommand, PrintsTheScriptOfTheShell) {
  EXPECT_EQ(RunMain({"completion", "bash"}).out, TextNamed("bash"));
  EXPECT_EQ(RunMain({"completion", "zsh"}).out, TextNamed("zsh"));
  EXPECT_EQ(RunMain({"completion", "fish"}).out, TextNamed("fish"));
}

TEST(CompletionCommand, RefusesOtherShells) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"completion"}, {"completion", "tcsh"}}) {
    const Ran ran = RunMain(arguments);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, testing::StartsWith("schedlens: "));
  }
}

}  // namespace
}  // namespace schedlens
