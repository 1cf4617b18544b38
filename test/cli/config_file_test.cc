#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/command.h"
#include "cli/process.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  try {
    ParseConfig(text, "c.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(ConfigFile, HoldsSettingsForAllCommandsAndForOne) {
  const auto entries = ParseConfig(
      "prometheus: http://p:9090\n"
      "header: ['A: 1', 'B: 2']\n"
      "diagnose:\n"
      "  baseline: off\n",
      "c.yaml");
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].command, "");
  EXPECT_EQ(entries[0].option, "prometheus");
  EXPECT_THAT(entries[0].values, ElementsAre("http://p:9090"));
  EXPECT_EQ(entries[0].origin, "c.yaml:1");
  EXPECT_THAT(entries[1].values, ElementsAre("A: 1", "B: 2"));
  EXPECT_EQ(entries[2].command, "diagnose");
  EXPECT_EQ(entries[2].option, "baseline");
  EXPECT_THAT(entries[2].values, ElementsAre("off"));
  EXPECT_EQ(entries[2].origin, "c.yaml:4");
}

TEST(ConfigFile, MayBeEmpty) {
  EXPECT_TRUE(ParseConfig("", "c.yaml").empty());
  EXPECT_TRUE(ParseConfig("# nothing yet\n", "c.yaml").empty());
}

TEST(ConfigFile, ErrorsNameFileAndLine) {
  EXPECT_THAT(ErrorOf("- a\n"), HasSubstr("c.yaml:1: must be a mapping"));
  EXPECT_THAT(ErrorOf("a: 1\nb: {c: {d: 1}}\n"),
              HasSubstr("c.yaml:2: b: `c` must be a single value"));
  EXPECT_THAT(ErrorOf("a: [1, [2]]\n"), HasSubstr("c.yaml:1: `a` must be a single value"));
  EXPECT_THAT(ErrorOf("a: 1\n: : :\n\t- x"), HasSubstr("c.yaml:"));
}

TEST(ConfigFile, TheUsersFileGoesBeforeTheSystems) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "schedlens");
  const std::string file = dir.Write("schedlens/config.yaml", "");
  unsetenv("SCHEDLENS_CONFIG");
  setenv("XDG_CONFIG_HOME", dir.path().c_str(), 1);
  EXPECT_EQ(ConfigFiles().front(), file);
  std::filesystem::remove(file);
  EXPECT_THAT(ConfigFiles(), testing::Not(testing::Contains(file)));
  std::filesystem::create_symlink("config.yaml", file);  // a loop, as unreadable as can be
  EXPECT_THAT(ConfigFiles(), testing::Not(testing::Contains(file)));
  setenv("SCHEDLENS_CONFIG", "/some/where.yaml", 1);
  EXPECT_THAT(ConfigFiles(), ElementsAre("/some/where.yaml"));
  unsetenv("SCHEDLENS_CONFIG");
  unsetenv("XDG_CONFIG_HOME");
}

}  // namespace
}  // namespace schedlens
