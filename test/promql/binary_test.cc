#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

const Asker& BinaryData() {
  static const Asker asker({
      Line({{"__name__", "m"}, {"a", "1"}}, {"1"}),
      Line({{"__name__", "m"}, {"a", "2"}}, {"4"}),
      Line({{"__name__", "n"}, {"a", "2"}}, {"7"}),
  });
  return asker;
}

TEST(BinaryTest, CalculatesWithScalars) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"1 + 2 * 3 - 4 / 8", "{} 6.5"},
      {"7 % 4", "{} 3"},
      {"-7 % 4", "{} -3"},
      {"2 ^ 10", "{} 1024"},
      {"-2 ^ 2", "{} -4"},
      {"1 / 0", "{} +Inf"},
      {"1 < bool 2", "{} 1"},
      {"NaN == bool NaN", "{} 0"},
      {"m * 2", "{a=\"1\"} 2; {a=\"2\"} 8"},
      {"2 - m", "{a=\"1\"} 1; {a=\"2\"} -2"},
      {"m > 2", "m{a=\"2\"} 4"},
      {"2 < m", "m{a=\"2\"} 4"},
      {"m > bool 2", "{a=\"1\"} 0; {a=\"2\"} 1"},
      {"m == 1", "m{a=\"1\"} 1"},
      {"-m", "{a=\"1\"} -1; {a=\"2\"} -4"},
      {"m > 100", ""},
  };
  for (const auto& [promql, shown] : table) EXPECT_EQ(BinaryData().At(0, promql), shown) << promql;
}

TEST(BinaryTest, RefusesEqualLabelSetsAfterDroppingNames) {
  EXPECT_EQ(BinaryData().At(0, "{a=\"2\"} + 1"),
            "error: vector cannot contain metrics with the same labelset");
}

TEST(BinaryTest, FilteredStepsAreGaps) {
  const Asker asker({Line({{"__name__", "m"}}, {"1", "5", "2", "6"})});
  EXPECT_EQ(asker.Range(0, 30'000, 10'000, "m > 3"), "m 5@10 6@30");
  EXPECT_EQ(asker.Range(0, 30'000, 10'000, "time() / 10"), "{} 0@0 1@10 2@20 3@30");
}

}  // namespace
}  // namespace schedlens::promql
