#include "model/family.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(FamilyTest, TakesOneSuffixOff) {
  EXPECT_EQ(FamilyOf("x_seconds_bucket"), "x_seconds");
  EXPECT_EQ(FamilyOf("x_seconds_sum"), "x_seconds");
  EXPECT_EQ(FamilyOf("x_seconds_count"), "x_seconds");
  EXPECT_EQ(FamilyOf("x_count_bucket"), "x_count");
}

TEST(FamilyTest, LeavesOtherNames) {
  EXPECT_EQ(FamilyOf("x_seconds"), "x_seconds");
  EXPECT_EQ(FamilyOf("_sum"), "_sum");
  EXPECT_EQ(FamilyOf(""), "");
}

TEST(FamilyTest, CountersAreKnownByTheirSuffix) {
  EXPECT_TRUE(IsCounterName("x_total"));
  EXPECT_TRUE(IsCounterName("x_seconds_bucket"));
  EXPECT_FALSE(IsCounterName("x_seconds"));
  EXPECT_FALSE(IsCounterName(""));
}

}  // namespace
}  // namespace schedlens
