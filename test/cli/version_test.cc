#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "cli/command.h"

namespace schedlens {
namespace {

TEST(Version, IsTheProjectsOwn) {
  std::ifstream in(SCHEDLENS_SOURCE_DIR "/CMakeLists.txt");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string line = VersionLine();
  ASSERT_EQ(line.rfind("schedlens ", 0), 0U);
  EXPECT_NE(text.find("VERSION " + line.substr(10) + " "), std::string::npos) << line;
}

}  // namespace
}  // namespace schedlens
