#include "source/settings_map.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(SettingsMap, ReadsTextsPathsAndSecrets) {
  std::ofstream(std::filesystem::path(testing::TempDir()) / "token") << "  t0ken\n";
  SettingsMap map =
      LoadSettings("{user: u, ca: a/../b, token_file: token}", "f.yaml", testing::TempDir());
  EXPECT_EQ(map.Text("user"), "u");
  EXPECT_EQ(map.Text("none"), "");
  EXPECT_EQ(map.Path("ca"), testing::TempDir() + "b");
  EXPECT_EQ(map.Secret("token"), "t0ken");
}

TEST(SettingsMap, NamesFileAndLineOfWhatIsWrong) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      return "none: " + LoadSettings(text, "f.yaml", "/").Secret("key");
    } catch (const Error& caught) {
      return caught.what();
    }
  };
  EXPECT_EQ(error("\nkey: a\nkey_file: b\n").substr(0, 7), "f.yaml:");
  EXPECT_NE(error("key: a\nkey_file: b\n").find("give key or key_file, not both"),
            std::string::npos);
  EXPECT_NE(error("a: [").find("f.yaml:"), std::string::npos);
}

}  // namespace
}  // namespace schedlens
