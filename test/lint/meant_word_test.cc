#include <gtest/gtest.h>

#include "lint/checks.h"

namespace schedlens {
namespace {

TEST(MeantWordTest, IsASlipAway) {
  const std::vector<std::string> results = {"scheduled", "unschedulable", "error"};
  EXPECT_EQ(lint::MeantWord("unschedulabel", results), "unschedulable");
  EXPECT_EQ(lint::MeantWord("schedulled", results), "scheduled");
  EXPECT_EQ(lint::MeantWord("Error", results), "error");
  EXPECT_EQ(lint::MeantWord("success", results), "");
  EXPECT_EQ(lint::MeantWord("unscheduled", results), "") << "the opposite";
  EXPECT_EQ(lint::MeantWord("schedulable", results), "") << "the opposite";
  EXPECT_EQ(lint::MeantWord("hots", {"host"}), "") << "short words are near to many";
  EXPECT_EQ(lint::MeantWord("extensionPoint", {"extension_point"}), "extension_point");
  EXPECT_EQ(lint::MeantWord("verb", {"code", "method", "host"}), "method");
  EXPECT_EQ(lint::MeantWord("word", {}), "");
}

}  // namespace
}  // namespace schedlens
