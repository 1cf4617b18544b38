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

TEST(CallsTest, AreFoundByNameAndTheOthersOfServersToo) {
  for (const char* name : {"abs", "year", "rate", "histogram_sum", "rate_prometheus"}) {
    ASSERT_NE(FindFunction(name), nullptr) << name;
    EXPECT_EQ(FindFunction(name)->name, name);
    EXPECT_TRUE(FindFunction(name)->evaluate != nullptr);
  }
  ASSERT_NE(FindFunction("zscore_over_time"), nullptr);
  EXPECT_TRUE(FindFunction("zscore_over_time")->evaluate == nullptr);
  EXPECT_EQ(FindFunction("Rate"), nullptr);  // names are case sensitive, keywords are not
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

const Asker& LabelCallsData() {
  static const Asker asker({
      Line({{"__name__", "m"}, {"a", "x-1"}, {"b", "q"}}, {"1"}),
      Line({{"__name__", "m"}, {"a", "y-2"}}, {"2"}),
  });
  return asker;
}

TEST(LabelCallsTest, ReplaceByGroups) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {R"q(label_replace(m, "c", "$2:${1}", "a", "(.)-(.)"))q",
       R"q(m{a="x-1",b="q",c="1:x"} 1; m{a="y-2",c="2:y"} 2)q"},
      {R"q(label_replace(m, "c", "$name$$", "a", "(?P<name>.)-.*"))q",
       R"q(m{a="x-1",b="q",c="x$"} 1; m{a="y-2",c="y$"} 2)q"},
      {R"q(label_replace(m, "c", "z", "a", "x"))q", R"q(m{a="x-1",b="q"} 1; m{a="y-2"} 2)q"},
      {R"q(label_replace(m, "b", "", "b", "q"))q", R"q(m{a="x-1"} 1; m{a="y-2"} 2)q"},
      {R"q(label_replace(m, "c", "$9", "a", ".*"))q", R"q(m{a="x-1",b="q"} 1; m{a="y-2"} 2)q"},
      {R"q(label_join(m, "c", "+", "a", "b"))q",
       R"q(m{a="x-1",b="q",c="x-1+q"} 1; m{a="y-2",c="y-2+"} 2)q"},
  };
  for (const auto& [promql, shown] : table)
    EXPECT_EQ(LabelCallsData().At(0, promql), shown) << promql;
}

TEST(LabelCallsTest, RefuseBadNamesAndCollisions) {
  EXPECT_NE(
      LabelCallsData().At(0, R"q(label_replace(m, "0", "", "a", ""))q").find("invalid destination"),
      std::string::npos);
  EXPECT_NE(
      LabelCallsData().At(0, R"q(label_replace(m, "c", "", "a", "("))q").find("invalid regular"),
      std::string::npos);
  EXPECT_EQ(LabelCallsData().At(
                0, R"q(label_replace(label_replace(m, "a", "s", "a", ".*"), "b", "", "", ""))q"),
            "error: vector cannot contain metrics with the same labelset");
}

TEST(LabelCallsTest, RefusePatternsThatTakeTooMuch) {
  const auto with = [](int groups, const std::string& before) {
    std::string pattern = before;
    for (int i = 0; i < groups; ++i) pattern += "(x|";
    for (int i = 0; i < groups; ++i) pattern += ")";
    return LabelCallsData().At(0, "label_replace(m, \"c\", \"$1\", \"a\", \"" + pattern + "\")");
  };
  EXPECT_NE(with(201, "").find("label_replace(): more than 200 groups"), std::string::npos);
  EXPECT_EQ(with(200, "").find("groups"), std::string::npos);
  EXPECT_NE(with(1, std::string(40'000, '.')).find("label_replace(): longer than 32768 bytes"),
            std::string::npos);
}

TEST(LabelCallsTest, RefuseTextThatIsNotUtf8WhereServersDo) {
  EXPECT_NE(LabelCallsData()
                .At(0, R"q(label_replace(m, "c", "", "a", "\xff"))q")
                .find("invalid regular expression"),
            std::string::npos);
  for (const char* version : {"2.42", "3.5"}) {
    const std::string why =
        LabelCallsData().At(0, R"q(label_replace(m, "\xff", "x", "", ""))q", version);
    EXPECT_NE(why.find("invalid destination"), std::string::npos) << version;
  }
  EXPECT_NE(LabelCallsData()
                .At(0, R"q(label_replace(m, "c", "$1", "a", "(\\C).*"))q")
                .find("invalid regular expression in label_replace(): (\\C).*"),
            std::string::npos);
  EXPECT_EQ(LabelCallsData().At(0, R"q(label_replace(m{b="q"}, "c", "x", "a", "\\Q\\C\\E|x.*"))q"),
            "m{a=\"x-1\",b=\"q\",c=\"x\"} 1");
  EXPECT_NE(LabelCallsData().At(0, R"q(m{a=~"\\C"})q").find("invalid escape sequence: \\C"),
            std::string::npos);
  // A value is taken as it is, and shown with U+FFFD.
  EXPECT_EQ(LabelCallsData().At(0, R"q(label_replace(m{b="q"}, "c", "\xff", "", ""))q"),
            "m{a=\"x-1\",b=\"q\",c=\"\xff\"} 1");
}

TEST(LabelCallsTest, AbsentHasTheLabelsThatAreAskedFor) {
  EXPECT_EQ(LabelCallsData().At(0, "absent(m)"), "");
  EXPECT_EQ(LabelCallsData().At(0, R"q(absent(n{a="1",b=~"2",c="3",c="4"}))q"), "{a=\"1\"} 1");
  EXPECT_EQ(LabelCallsData().At(0, "absent(sum(n))"), "{} 1");
  EXPECT_EQ(LabelCallsData().At(0, R"q(absent_over_time(n{a="1"}[5m]))q"), "{a=\"1\"} 1");
  EXPECT_EQ(LabelCallsData().At(0, "absent_over_time(m[5m])"), "");
}

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
