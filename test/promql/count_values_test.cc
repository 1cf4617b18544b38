#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

const Asker& CountValuesData() {
  static const Asker asker({
      Line({{"__name__", "m"}, {"a", "1"}, {"b", "x"}}, {"7", "1e21"}),
      Line({{"__name__", "m"}, {"a", "2"}, {"b", "x"}}, {"7", "NaN"}),
      Line({{"__name__", "m"}, {"a", "3"}, {"b", "y"}}, {"8", "+Inf"}),
  });
  return asker;
}

TEST(CountValuesTest, MakesTheValueALabel) {
  EXPECT_EQ(CountValuesData().At(0, "count_values(\"v\", m)"), "{v=\"7\"} 2; {v=\"8\"} 1");
  EXPECT_EQ(CountValuesData().At(0, "count_values by (b) (\"v\", m)"),
            "{b=\"x\",v=\"7\"} 2; {b=\"y\",v=\"8\"} 1");
  EXPECT_EQ(CountValuesData().At(0, "count_values without (a) (\"b\", m)"),
            "{b=\"7\"} 2; {b=\"8\"} 1");
}

TEST(CountValuesTest, WritesValuesWithoutExponent) {
  EXPECT_EQ(CountValuesData().At(10'000, "count_values(\"v\", m)"),
            "{v=\"+Inf\"} 1; {v=\"1000000000000000000000\"} 1; {v=\"NaN\"} 1");
}

}  // namespace
}  // namespace schedlens::promql
