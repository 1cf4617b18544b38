#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/json.h"

namespace schedlens {
namespace {

TEST(TextAtTest, IsATextMemberOrEmpty) {
  const auto object = nlohmann::json::parse(R"({"name":"Slow","for":180,"labels":{"name":"x"}})");
  EXPECT_EQ(TextAt(object, "name"), "Slow");
  EXPECT_EQ(TextAt(object, "for"), "");
  EXPECT_EQ(TextAt(object, "labels"), "");
  EXPECT_EQ(TextAt(object, "none"), "");
  for (const char* other : {"[]", "null", "\"name\"", "3"}) {
    EXPECT_EQ(TextAt(nlohmann::json::parse(other), "name"), "") << other;
  }
}

}  // namespace
}  // namespace schedlens
