#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

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

}  // namespace
}  // namespace schedlens::promql
