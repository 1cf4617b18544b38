#include "source/rule_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

constexpr char kRules[] =
    "groups:\n"
    "  - name: g\n"
    "    interval: 1m\n"
    "    rules:\n"
    "      - alert: Slow\n"
    "        expr: up == 0\n"
    "        for: 5m\n"
    "      - record: a:b\n"
    "        expr: |\n"
    "          sum(x)\n";

TEST(ParseRuleFileTest, ReadsAlertsAndRecordsWithTheirLines) {
  const RuleFile file = ParseRuleFile(kRules, "r.yaml");
  ASSERT_EQ(file.rules.size(), 2u);
  EXPECT_EQ(file.rules[0].name, "Slow");
  EXPECT_TRUE(file.rules[0].alerting);
  EXPECT_EQ(file.rules[0].line, 6);
  EXPECT_EQ(file.rules[1].name, "a:b");
  EXPECT_EQ(file.rules[1].group, "g");
}

TEST(ParseRuleFileTest, ReadsAPrometheusRuleObject) {
  const RuleFile file = ParseRuleFile(
      "kind: PrometheusRule\nspec:\n  groups:\n  - name: g\n    rules:\n    - alert: A\n"
      "      expr: up\n",
      "r.yaml");
  EXPECT_EQ(file.rules.size(), 1u);
}

TEST(WithExpressionsTest, ReplacesExpressionsAndKeepsTheRest) {
  const RuleFile file = ParseRuleFile(kRules, "r.yaml");
  const std::string text = WithExpressions(file, {"up == 1", "sum(y)"});
  const RuleFile again = ParseRuleFile(text, "again");
  EXPECT_EQ(again.rules[0].expr, "up == 1");
  EXPECT_EQ(again.rules[1].expr, "sum(y)");
  EXPECT_THAT(text, HasSubstr("for: 5m"));
  EXPECT_THAT(text, HasSubstr("interval: 1m"));
}

TEST(RuleFileForTest, IsAFileOfOneAlert) {
  EXPECT_EQ(ParseRuleFile(RuleFileFor("a > 1"), "x").rules[0].expr, "a > 1");
}

TEST(ParseRuleFileTest, NamesFileAndLineOfWhatIsWrong) {
  for (const char* bad : {"", "groups: 3", "- a", "a: [", "groups:\n - 3\n",
                          "groups:\n - name: g\n   rules: 3\n", "groups: [{rules: [3]}]"}) {
    try {
      ParseRuleFile(bad, "r.yaml");
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << bad;
      EXPECT_THAT(error.what(), HasSubstr("r.yaml:")) << bad;
    }
  }
}

}  // namespace
}  // namespace schedlens
