#include <gtest/gtest.h>

#include "lint/names.h"

namespace schedlens {
namespace {

TEST(MeantWordTest, IsASlipAway) {
  const std::vector<std::string> results = {"scheduled", "unschedulable", "error"};
  EXPECT_EQ(MeantWord("unschedulabel", results), "unschedulable");
  EXPECT_EQ(MeantWord("schedulled", results), "scheduled");
  EXPECT_EQ(MeantWord("Error", results), "error");
  EXPECT_EQ(MeantWord("success", results), "");
  EXPECT_EQ(MeantWord("unscheduled", results), "") << "the opposite";
  EXPECT_EQ(MeantWord("schedulable", results), "") << "the opposite";
  EXPECT_EQ(MeantWord("hots", {"host"}), "") << "short words are near to many";
  EXPECT_EQ(MeantWord("extensionPoint", {"extension_point"}), "extension_point");
  EXPECT_EQ(MeantWord("verb", {"code", "method", "host"}), "method");
  EXPECT_EQ(MeantWord("word", {}), "");
}

}  // namespace
}  // namespace schedlens
