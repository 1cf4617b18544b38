#include <gtest/gtest.h>

#include <filesystem>

#include "cli/options/output.h"
#include "cli/process.h"

namespace schedlens {
namespace {

TEST(SamePlace, IsOneFileByWhateverName) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "folder");
  std::filesystem::create_symlink("folder", dir / "link");
  std::filesystem::create_symlink("later", dir / "dangling");
  for (const auto& [a, b] :
       {std::pair{"x", "x"}, std::pair{"x", "./x"}, std::pair{"folder/x", "link/x"},
        std::pair{"folder/../x", "x"}, std::pair{"dangling", "later"}}) {
    EXPECT_TRUE(SamePlace(dir / a, dir / b)) << a << " and " << b;
    EXPECT_TRUE(SamePlace(dir / b, dir / a)) << a << " and " << b;
  }
  EXPECT_FALSE(SamePlace(dir / "x", dir / "y"));
  EXPECT_FALSE(SamePlace(dir / "x", dir / "folder/x"));
  EXPECT_TRUE(SamePlace("-", "-"));
  EXPECT_FALSE(SamePlace("-", "./-"));
}

}  // namespace
}  // namespace schedlens
