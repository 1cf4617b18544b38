#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/command.h"

namespace schedlens {
namespace {

using testing::StartsWith;

TEST(Commands, HaveUniqueNamesAndOneLineSummaries) {
  std::set<std::string_view> names;
  for (const DeclaredCommand& command : DeclareProgram().commands) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_EQ(command.summary.find('\n'), std::string_view::npos) << command.name;
    EXPECT_FALSE(command.summary.empty()) << command.name;
  }
}

TEST(Commands, EachStartsItsExamplesWithItself) {
  for (const DeclaredCommand& command : DeclareProgram().commands) {
    ASSERT_FALSE(command.examples.empty()) << command.name;
    EXPECT_THAT(command.examples.front(),
                testing::HasSubstr("schedlens " + std::string(command.name)));
  }
}

}  // namespace
}  // namespace schedlens
