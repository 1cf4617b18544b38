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

const Asker& VectorMatchingData() {
  static const Asker asker({
      Line({{"__name__", "err"}, {"code", "500"}, {"m", "get"}}, {"24"}),
      Line({{"__name__", "err"}, {"code", "404"}, {"m", "get"}}, {"30"}),
      Line({{"__name__", "err"}, {"code", "500"}, {"m", "post"}}, {"6"}),
      Line({{"__name__", "req"}, {"m", "get"}, {"team", "t1"}}, {"600"}),
      Line({{"__name__", "req"}, {"m", "del"}, {"team", "t2"}}, {"34"}),
      Line({{"__name__", "req"}, {"m", "post"}, {"team", "t3"}}, {"120"}),
  });
  return asker;
}

TEST(VectorMatchingTest, MatchesOneToOneAndGrouped) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"err{code=\"500\"} / on (m) req", "{m=\"get\"} 0.04; {m=\"post\"} 0.05"},
      {"err{code=\"500\"} / ignoring (code, team) req", "{m=\"get\"} 0.04; {m=\"post\"} 0.05"},
      {"err / on (m) group_left req",
       "{code=\"404\",m=\"get\"} 0.05; {code=\"500\",m=\"get\"} 0.04; {code=\"500\",m=\"post\"} "
       "0.05"},
      {"err / on (m) group_left (team) req",
       "{code=\"404\",m=\"get\",team=\"t1\"} 0.05; {code=\"500\",m=\"get\",team=\"t1\"} 0.04; "
       "{code=\"500\",m=\"post\",team=\"t3\"} 0.05"},
      {"req - on (m) group_right err{code=\"500\"}",
       "{code=\"500\",m=\"get\"} 576; {code=\"500\",m=\"post\"} 114"},
      {"err{code=\"500\"} < on (m) req{m=\"get\"}", "{m=\"get\"} 24"},
      {"req{m=\"get\"} > on (m) group_right err",
       "err{code=\"404\",m=\"get\"} 600; err{code=\"500\",m=\"get\"} 600"},
      {"req > bool on (m) (req * 2)", "{m=\"del\"} 0; {m=\"get\"} 0; {m=\"post\"} 0"},
      {"req == req",
       "req{m=\"del\",team=\"t2\"} 34; req{m=\"get\",team=\"t1\"} 600; "
       "req{m=\"post\",team=\"t3\"} 120"},
  };
  for (const auto& [promql, shown] : table)
    EXPECT_EQ(VectorMatchingData().At(0, promql), shown) << promql;
}

TEST(VectorMatchingTest, CombinesSets) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"req and on (m) err", "req{m=\"get\",team=\"t1\"} 600; req{m=\"post\",team=\"t3\"} 120"},
      {"req unless on (m) err", "req{m=\"del\",team=\"t2\"} 34"},
      {"req{m=\"get\"} or on (m) req",
       "req{m=\"get\",team=\"t1\"} 600; req{m=\"del\",team=\"t2\"} 34; "
       "req{m=\"post\",team=\"t3\"} 120"},
      {"req{m=\"get\"} or vector(1)", "req{m=\"get\",team=\"t1\"} 600; {} 1"},
  };
  for (const auto& [promql, shown] : table)
    EXPECT_EQ(VectorMatchingData().At(0, promql), shown) << promql;
}

TEST(VectorMatchingTest, RefusesAmbiguousMatchesInTheServersWords) {
  EXPECT_NE(VectorMatchingData()
                .At(0, "req / on (m) err")
                .find("found duplicate series for the match group "
                      "{m=\"get\"} on the right hand-side"),
            std::string::npos);
  EXPECT_NE(
      VectorMatchingData().At(0, "err / on (m) req").find("many-to-one matching must be explicit"),
      std::string::npos);
}

}  // namespace
}  // namespace schedlens::promql
