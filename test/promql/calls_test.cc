#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

const Asker& CallsData() {
  static const Asker asker({
      Line({{"__name__", "m"}, {"a", "1"}}, {"-1.5", "2"}),
      Line({{"__name__", "m"}, {"a", "2"}}, {"4.5"}),
      Line({{"__name__", "m"}, {"a", "3"}}, {"NaN"}),
  });
  return asker;
}

TEST(CallsTest, MapValuesAndDropNames) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"abs(m)", "{a=\"1\"} 1.5; {a=\"2\"} 4.5; {a=\"3\"} NaN"},
      {"ceil(m)", "{a=\"1\"} -1; {a=\"2\"} 5; {a=\"3\"} NaN"},
      {"floor(m)", "{a=\"1\"} -2; {a=\"2\"} 4; {a=\"3\"} NaN"},
      {"round(m)", "{a=\"1\"} -1; {a=\"2\"} 5; {a=\"3\"} NaN"},
      {"round(m, 0.2)", "{a=\"1\"} -1.4; {a=\"2\"} 4.6; {a=\"3\"} NaN"},
      {"sgn(m)", "{a=\"1\"} -1; {a=\"2\"} 1; {a=\"3\"} NaN"},
      {"clamp_max(m, 2)", "{a=\"1\"} -1.5; {a=\"2\"} 2; {a=\"3\"} NaN"},
      {"clamp_min(m, 2)", "{a=\"1\"} 2; {a=\"2\"} 4.5; {a=\"3\"} NaN"},
      {"clamp(m, 0, 3)", "{a=\"1\"} 0; {a=\"2\"} 3; {a=\"3\"} NaN"},
      {"clamp(m, 3, 0)", ""},
      {"sqrt(m{a=\"2\"} - 0.5)", "{a=\"2\"} 2"},
      {"sort(m)", "m{a=\"1\"} -1.5; m{a=\"2\"} 4.5; m{a=\"3\"} NaN"},
      {"sort_desc(m)", "m{a=\"2\"} 4.5; m{a=\"1\"} -1.5; m{a=\"3\"} NaN"},
      {"scalar(m{a=\"2\"})", "{} 4.5"},
      {"scalar(m)", "{} NaN"},
      {"scalar(nothing)", "{} NaN"},
      {"vector(3)", "{} 3"},
      {"time()", "{} 5"},
      {"timestamp(m{a=\"2\"})", "{a=\"2\"} 0"},
      {"timestamp(m{a=\"2\"} + 0)", "{a=\"2\"} 5"},
      {"timestamp(vector(1))", "{} 5"},
  };
  for (const auto& [promql, shown] : table)
    EXPECT_EQ(CallsData().At(5'000, promql), shown) << promql;
}

TEST(CallsTest, KnowWhichVersionHasWhichFunction) {
  EXPECT_NE(CallsData().At(0, "histogram_fraction(0, 1, m)", "2.20").find("2.20 does not know it"),
            std::string::npos);
  EXPECT_NE(CallsData().At(0, "present_over_time(m[1m])", "2.28").find("needs --semantics 2.29"),
            std::string::npos);
  EXPECT_EQ(CallsData().At(0, "histogram_fraction(0, 1, m)", "3.3"), "");
  // The first version of each, and the last of one.
  const std::vector<std::pair<std::string, std::pair<std::string, std::string>>> table = {
      {"clamp(m, 0, 1)", {"2.25", "2.26"}},
      {"histogram_avg(m)", {"2.50", "2.51"}},
      {"histogram_stddev(m)", {"2.46", "2.47"}},
      {"histogram_quantiles(m, \"q\", 0.5)", {"3.10", "3.11"}},
      {"mad_over_time(m[1m])", {"2.48", "2.49"}},
      {"first_over_time(m[1m])", {"3.6", "3.7"}},
      {"double_exponential_smoothing(m[1m], 0.5, 0.5)", {"2.55", "3.0"}},
      {"holt_winters(m[1m], 0.5, 0.5)", {"3.0", "2.55"}},
  };
  for (const auto& [text, versions] : table) {
    EXPECT_NE(CallsData().At(0, text, versions.first).find("does not know it"), std::string::npos)
        << text;
    EXPECT_EQ(CallsData().At(0, text, versions.second).find("does not know it"), std::string::npos)
        << text;
  }
}

TEST(CallsTest, LogarithmsAndAngles) {
  const Asker asker({Line({{"__name__", "one"}}, {"1"})});
  EXPECT_EQ(asker.At(0, "ln(one)"), "{} 0");
  EXPECT_EQ(asker.At(0, "log2(one * 8)"), "{} 3");
  EXPECT_EQ(asker.At(0, "log10(one * 100)"), "{} 2");
  EXPECT_EQ(asker.At(0, "exp(one)"), "{} 2.718281828459045");
  EXPECT_EQ(asker.At(0, "deg(one * pi())"), "{} 180");
  EXPECT_EQ(asker.At(0, "rad(one * 180)"), "{} 3.141592653589793");
}

}  // namespace
}  // namespace schedlens::promql
