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

TEST(ParseRuleFileTest, ReadsSeveralDocumentsAndListsBesideOtherKinds) {
  const RuleFile file = ParseRuleFile(
      "kind: ConfigMap\ndata: {a: b}\n---\n# nothing\n---\nkind: List\nitems:\n"
      "- spec: {groups: [{name: g, rules: [{alert: A, expr: up}]}]}\n- kind: Secret\n---\n"
      "groups:\n- name: h\n  rules:\n  - {record: b, expr: down}\n",
      "r.yaml");
  ASSERT_EQ(file.rules.size(), 2u);
  EXPECT_EQ(file.rules[0].expr, "up");
  EXPECT_EQ(file.rules[1].group, "h");
  EXPECT_EQ(file.rules[1].line, 14);
}

/// The rule file with this text as its expression.
std::string Around(const std::string& scalar) {
  return "# head\ngroups:\n- name: g   # a name\n  rules:\n  - expr: " + scalar +
         "\n    alert: \"Slow\"\n\n    for: 5m\n";
}

constexpr char kAfter[] = "sum by (job, le) (rate(x{a=\"b\"}[5m])) > 4";

// Only the bytes that differ change, in the style of the scalar.
TEST(WithExpressionsTest, EditsEveryStyleOfScalarInPlace) {
  const struct {
    const char* scalar;
    const char* mended;
  } cases[] = {
      {"sum by (job) (rate(x{a=\"b\"}[5m])) > 3 # end",
       "sum by (job, le) (rate(x{a=\"b\"}[5m])) > 4 # end"},
      {"sum by (job)\n      (rate(x{a=\"b\"}[5m]))\n      > 3",
       "sum by (job, le)\n      (rate(x{a=\"b\"}[5m]))\n      > 4"},
      {"'sum by (job) (rate(x{a=\"b\"}[5m])) > 3'",
       "'sum by (job, le) (rate(x{a=\"b\"}[5m])) > 4'"},
      {"\"sum by (job) (rate(x{a=\\\"b\\\"}[5m]))\\n \\u003e 3\"",
       "\"sum by (job, le) (rate(x{a=\\\"b\\\"}[5m]))\\n \\u003e 4\""},
      {"|\n      sum by (job) (\n        rate(x{a=\"b\"}[5m])\n      )\n\n      > 3\n",
       "|\n      sum by (job, le) (\n        rate(x{a=\"b\"}[5m])\n      )\n\n      > 4\n"},
      {">-  # folded\n     sum by (job) (rate(x{a=\"b\"}[5m]))\n     > 3",
       ">-  # folded\n     sum by (job, le) (rate(x{a=\"b\"}[5m]))\n     > 4"},
      {"!!str &e |2+\n         sum by (job) (rate(x{a=\"b\"}[5m])) > 3\n\n",
       "!!str &e |2+\n         sum by (job, le) (rate(x{a=\"b\"}[5m])) > 4\n\n"},
  };
  for (const auto& c : cases) {
    for (const char* head : {"", "\xEF\xBB\xBF"}) {
      const RuleFile file = ParseRuleFile(head + Around(c.scalar), "r.yaml");
      EXPECT_EQ(WithExpressions(file, {kAfter}), head + Around(c.mended));
      EXPECT_EQ(WithExpressions(file, {file.rules[0].expr}), file.text);
    }
  }
}

TEST(WithExpressionsTest, KeepsWindowsLineEnds) {
  const RuleFile file = ParseRuleFile(
      "groups:\r\n- name: g\r\n  rules:\r\n  - alert: A\r\n    expr: |\r\n      a\r\n      > 3\r\n",
      "r");
  EXPECT_EQ(WithExpressions(file, {"a > 4"}),
            "groups:\r\n- name: g\r\n  rules:\r\n  - alert: A\r\n    expr: |\r\n      a\r\n      > "
            "4\r\n");
}

TEST(WithExpressionsTest, QuotesWhatTheStyleCannotHold) {
  const RuleFile plain = ParseRuleFile(Around("up > 3"), "r.yaml");
  EXPECT_EQ(WithExpressions(plain, {"up{a=\" #\"} > 3"}), Around("\"up{a=\\\" #\\\"} > 3\""));
  const RuleFile flow =
      ParseRuleFile("groups: [{name: g, rules: [{alert: A, expr: up > 3}]}]", "r");
  EXPECT_EQ(WithExpressions(flow, {"up{a=\"b\"} > 3"}),
            "groups: [{name: g, rules: [{alert: A, expr: \"up{a=\\\"b\\\"} > 3\"}]}]");
}

TEST(WithExpressionsTest, AnAliasIsChangedWhereItStands) {
  const RuleFile file = ParseRuleFile(
      "groups: [{name: g, rules: [{alert: A, expr: &e up > 3}, {alert: B, expr: *e}]}]", "r");
  EXPECT_EQ(WithExpressions(file, {"up > 4", "up > 4"}),
            "groups: [{name: g, rules: [{alert: A, expr: &e up > 4}, {alert: B, expr: *e}]}]");
}

TEST(RuleFileForTest, IsAFileOfOneAlert) {
  EXPECT_EQ(ParseRuleFile(RuleFileFor("a > 1"), "x").rules[0].expr, "a > 1");
}

TEST(ParseRuleFileTest, NamesFileAndLineOfWhatIsWrong) {
  for (const char* bad :
       {"", "groups: 3", "- a", "kind: ConfigMap\n---\nkind: Secret\n", "a: [", "groups:\n - 3\n",
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
