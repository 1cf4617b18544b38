#include "kube/release.h"

#include <gtest/gtest.h>

namespace schedlens::kube {
namespace {

TEST(ParseRelease, ReadsWhatPeopleWrite) {
  EXPECT_EQ(ParseRelease("1.24"), 24);
  EXPECT_EQ(ParseRelease("v1.20.15"), 20);
  EXPECT_EQ(ParseRelease("1.23-1.25"), 25);
  for (const char* bad : {"", "1", "2.3", "1.", "1.x", "1.24beta", "latest"}) {
    EXPECT_FALSE(ParseRelease(bad)) << bad;
  }
}

}  // namespace
}  // namespace schedlens::kube
