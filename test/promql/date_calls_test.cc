#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

TEST(DateCallsTest, TakeTimesApartInUtc) {
  const Asker asker({Line({{"__name__", "t"}}, {"1709210096"})});  // 2024-02-29T12:34:56Z
  const std::vector<std::pair<std::string, std::string>> table = {
      {"minute", "34"},      {"hour", "12"},          {"day_of_week", "4"}, {"day_of_month", "29"},
      {"day_of_year", "60"}, {"days_in_month", "29"}, {"month", "2"},       {"year", "2024"},
  };
  for (const auto& [name, value] : table) {
    EXPECT_EQ(asker.At(0, name + "(t)"), "{} " + value) << name;
    EXPECT_EQ(asker.At(1'709'210'096'789, name + "()"), "{} " + value) << name;
  }
  EXPECT_EQ(asker.At(0, "hour(t * 1e30)"), "{} NaN");
}

}  // namespace
}  // namespace schedlens::promql
