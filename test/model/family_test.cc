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

}  // namespace
}  // namespace schedlens
