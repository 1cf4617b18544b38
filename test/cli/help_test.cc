#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_main.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Help, OfEachCommandStartsWithItsExamples) {
  for (const Command& command : Commands()) {
    const Ran ran = RunMain({std::string(command.name), "--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    const std::string first(command.examples.substr(0, command.examples.find('\n')));
    EXPECT_THAT(ran.out, StartsWith("Examples:\n  " + first + "\n"));
    EXPECT_THAT(ran.out, HasSubstr(std::string(command.summary)));
    EXPECT_THAT(ran.out, HasSubstr("Usage: schedlens " + std::string(command.name)));
  }
}

}  // namespace
}  // namespace schedlens
