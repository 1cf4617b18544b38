#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

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
