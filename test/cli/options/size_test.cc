#include <gtest/gtest.h>

#include "cli/command.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(SizeOption, IsWrittenAsKubernetesWritesSizes) {
  EXPECT_EQ(ParseSize("--max", "512Mi"), 536'870'912);
  EXPECT_EQ(ParseSize("--max", "1.5Gi"), 1'610'612'736);
  EXPECT_EQ(ParseSize("--max", "2G"), 2'000'000'000);
  EXPECT_EQ(ParseSize("--max", "1048576"), 1'048'576);
}

TEST(SizeOption, WhatIsNoSizeIsNamedWithItsOption) {
  for (const char* text : {"", "lots", "0", "-1Mi", "512MiB", "512 Mi", "512m"}) {
    try {
      ParseSize("--max", text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(error.what(),
                "--max " + std::string(text) + ": expected a size such as 512Mi or 2Gi");
    }
  }
}

}  // namespace
}  // namespace schedlens
