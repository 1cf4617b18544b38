// What a process loads before it does anything.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "cli/process.h"

namespace schedlens {
namespace {

TEST(Start, LoadsNothingThatOnlyServersNeed) {
  const TempDir dir;
  // The loader lists the libraries in place of running the program.
  const pid_t child =
      Start({SCHEDLENS_BINARY, "--version"}, "", dir / "out", "", {"LD_TRACE_LOADED_OBJECTS=1"});
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const std::string libraries = ReadAll(dir / "out");
  EXPECT_THAT(libraries, testing::HasSubstr("libstdc++"));
  for (const char* one : {"libcurl", "libcpp-httplib", "libssl"}) {
    EXPECT_THAT(libraries, testing::Not(testing::HasSubstr(one)));
  }
}

}  // namespace
}  // namespace schedlens
