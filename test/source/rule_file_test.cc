#include "source/rule_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

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

TEST(ParseRuleFileTest, ATemplateIsToBeRenderedFirst) {
  for (const char* text : {"{{- if .Values.rules.create }}\nkind: PrometheusRule\nspec:\n  groups: "
                           "[]\n{{- end }}\n",
                           "{% raw %}\ngroups: []\n{% endraw %}\n"}) {
    try {
      ParseRuleFile(text, "r.yaml");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith("r.yaml:1: not YAML: "));
      EXPECT_THAT(error.what(), HasSubstr("; a template is to be rendered first (helm template"));
    }
  }
}

std::string RefusalOfRules(const std::string& text) {
  try {
    ParseRuleFile(text, "r.yaml");
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kUsage ? error.what() : "";
  }
  return "";
}

TEST(ParseRuleFileTest, ATemplateThatHappensToBeYamlIsToBeRenderedToo) {
  const std::string head = "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: up == 0\n";
  for (const char* rest :
       {"    labels:\n      tier: {{ required \".Values.tier missing\" .Values.tier }}\n",
        "    for: {{ .Values.for }}\n", "    labels: {{ toYaml .Values.labels }}\n",
        "    annotations: {a: {{ tier }}}\n"}) {
    EXPECT_THAT(RefusalOfRules(head + rest), HasSubstr("a template is to be rendered first (helm"));
  }
  EXPECT_THAT(RefusalOfRules("spec:\n  groups:\n  - name: {{ .Release.Name }}\n    rules: []\n"),
              StartsWith("r.yaml:3: "));
  // The server's own templates, which want quotes, and text in quotes.
  const RuleFile file = ParseRuleFile(head + "    annotations:\n      a: {{ $value }}\n", "r.yaml");
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_EQ(file.problems[0].id, "bad-field");
  EXPECT_TRUE(ParseRuleFile(head + "    annotations: {a: \"{{ x }}\"}\n", "r").problems.empty());
}

TEST(ParseRuleFileTest, ACatalogueIsNoRuleFile) {
  EXPECT_THAT(
      RefusalOfRules("groups:\n- name: Orchestrators\n  services:\n  - name: Kubernetes\n"
                     "    exporters:\n    - rules:\n      - {name: Pending, query: up}\n"),
      HasSubstr("expected a rule file; no group of `groups` has `rules`: put each group's"));
  // A slip of the pen, and a group that has no rules yet.
  EXPECT_EQ(ParseRuleFile("groups:\n- name: g\n  rule:\n  - expr: up\n", "r").problems[0].id,
            "bad-field");
  EXPECT_TRUE(ParseRuleFile("groups:\n- name: g\n", "r").problems.empty());
}

TEST(ParseRuleFileTest, ReadsWhatAServerAnsweredWhereItStands) {
  const RuleFile file = ParseRuleFile(
      R"json({"status": "success", "data": {"groups": [{"name": "g", "file": "/etc/r.yml",
  "interval": 30, "limit": 0, "evaluationTime": 0.1, "lastEvaluation": "2026-11-26T10:00:00Z",
  "rules": [{"state": "inactive", "name": "A", "query": "up == 0", "duration": 600,
             "keepFiringFor": 0, "labels": {}, "annotations": {}, "alerts": [], "health": "ok",
             "evaluationTime": 0.1, "type": "alerting"},
            {"name": "a:b", "query": "sum(x{a=\"b\"})", "health": "ok", "type": "recording"}]
}]
}
})json",
      "r.json");
  EXPECT_TRUE(file.problems.empty());
  ASSERT_EQ(file.rules.size(), 2u);
  EXPECT_EQ(file.rules[0].name, "A");
  EXPECT_TRUE(file.rules[0].alerting);
  EXPECT_EQ(file.rules[0].for_ms, 600000);
  EXPECT_EQ(file.rules[0].interval_ms, 30000);
  EXPECT_EQ(file.rules[1].name, "a:b");
  EXPECT_FALSE(file.rules[1].alerting);
  EXPECT_THAT(WithExpressions(file, {"up == 0", "sum(y{a=\"b\"})"}),
              HasSubstr(R"json("query": "sum(y{a=\"b\"})", "health")json"));
}

TEST(ParseRuleFileTest, ReadsGrafanasNewestSchema) {
  const std::string spec =
      R"json({"title": "S", "elements": {"panel-1": {"kind": "Panel", "spec": {"title": "P", "data":
  {"kind": "QueryGroup", "spec": {"queries": [{"kind": "PanelQuery", "spec": {"refId": "A", "query":
  {"kind": "DataQuery", "group": "prometheus", "spec": {"expr": "up == 0"}}}}]}}}}},
  "variables": [{"kind": "QueryVariable", "spec": {"name": "job", "query": {"kind": "DataQuery",
  "group": "prometheus", "spec": {"query": "label_values(down, job)"
  }
  }
  }
  }]
  })json";
  for (const std::string& text : {spec, "{\"kind\": \"Dashboard\", \"spec\": " + spec + "}",
                                  "{\"dashboard\": {\"spec\": " + spec + "}}"}) {
    const RuleFile file = ParseRuleFile(text, "d.json");
    ASSERT_EQ(file.rules.size(), 2u) << text;
    EXPECT_EQ(file.rules[0].name, "P");
    EXPECT_EQ(file.rules[0].expr, "up == 0");
    EXPECT_TRUE(file.rules[0].panel);
    EXPECT_EQ(file.rules[1].name, "$job");
    EXPECT_EQ(file.rules[1].expr, "down");
  }
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
    const char* fixed;
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
      EXPECT_EQ(WithExpressions(file, {kAfter}), head + Around(c.fixed));
      EXPECT_EQ(WithExpressions(file, {file.rules[0].expr}), file.text);
    }
  }
}

TEST(WithExpressionsTest, KeepsWindowsLineEnds) {
  const RuleFile file = ParseRuleFile(
      "groups:\r\n- name: g\r\n  rules:\r\n  - alert: A\r\n    expr: |\r\n      a\r\n      > "
      "3\r\n",
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

/// `id of rule:line`, of what is wrong besides the expressions.
std::vector<std::string> Problems(const std::string& text) {
  std::vector<std::string> all;
  for (const FileProblem& problem : ParseRuleFile(text, "r.yaml").problems) {
    all.push_back(problem.id + " of " + problem.name + ":" + std::to_string(problem.line));
    EXPECT_FALSE(InEnglish(problem.message).empty());
  }
  return all;
}

// What `promtool check rules` refuses.
TEST(ParseRuleFileTest, FindsWhatPrometheusRefuses) {
  const auto rule = [](const std::string& fields) {
    return Problems("groups:\n- name: g\n  rules:\n  - {" + fields + "}\n");
  };
  EXPECT_THAT(rule("alert: A, expr: up, for: 5m, labels: {a: b}"), IsEmpty());
  EXPECT_THAT(rule("alert: A"), ElementsAre("empty-expression of A:4"));
  EXPECT_THAT(rule("alert: A, expr: ''"), ElementsAre("empty-expression of A:4"));
  EXPECT_THAT(rule("alert: A, expr: [up, down]"), ElementsAre("empty-expression of A:4"));
  EXPECT_THAT(rule("alert: A, expr: up, for: 5 minutes"), ElementsAre("bad-duration of A:4"));
  EXPECT_THAT(rule("alert: A, expr: up, keep_firing_for: x"), ElementsAre("bad-duration of A:4"));
  EXPECT_THAT(rule("record: a b, expr: up"), ElementsAre("bad-name of a b:4"));
  EXPECT_THAT(rule("record: 'a:b', expr: up, labels: {a-b: c}"), ElementsAre("bad-name of a:b:4"));
  EXPECT_THAT(rule("alert: A, expr: up, labels: {__name__: c}"), ElementsAre("bad-name of A:4"));
  EXPECT_THAT(rule("alert: A, record: b, expr: up"), ElementsAre("bad-rule of A:4"));
  EXPECT_THAT(rule("expr: up"), ElementsAre("bad-rule of :4"));
  EXPECT_THAT(rule("record: b, expr: up, for: 5m"), ElementsAre("bad-rule of b:4"));
  EXPECT_THAT(Problems("groups:\n- {name: g, interval: often}\n- {name: g}\n- rules: []\n"),
              ElementsAre("bad-duration of :2", "duplicate-group of :3", "bad-name of :4"));
}

// As Prometheus does: `<<` gives a rule the fields of another one that it has not itself.
TEST(ParseRuleFileTest, ReadsMergedRules) {
  const std::string text =
      "groups:\n- name: g\n  rules:\n  - &base\n    alert: A\n    expr: up == 0\n    for: 5m\n"
      "    labels: &labels {team: a}\n  - <<: *base\n    alert: B\n"
      "  - <<: [{for: 1m}, *base]\n    alert: C\n    labels: {<<: *labels, severity: page}\n";
  const RuleFile file = ParseRuleFile(text, "f");
  EXPECT_TRUE(file.problems.empty()) << file.problems.front().id;
  ASSERT_EQ(file.rules.size(), 3u);
  EXPECT_EQ(file.rules[1].name, "B");
  EXPECT_EQ(file.rules[1].expr, "up == 0");
  EXPECT_EQ(file.rules[1].for_ms, 300'000);
  EXPECT_EQ(file.rules[2].for_ms, 60'000);
  const std::string fixed = WithExpressions(file, {"up == 1", "up == 1", "up == 1"});
  EXPECT_NE(fixed.find("expr: up == 1\n"), std::string::npos);
  EXPECT_NE(fixed.find("- <<: *base\n    alert: B\n"), std::string::npos);
}

TEST(ParseRuleFileTest, ReadsDurations) {
  const RuleFile file = ParseRuleFile(kRules, "r.yaml");
  EXPECT_EQ(file.rules[0].for_ms, 300000);
  EXPECT_EQ(file.rules[0].interval_ms, 60000);
}

constexpr char kConfigMap[] =
    "apiVersion: v1\n"
    "kind: List\n"
    "items:\n"
    "- kind: ConfigMap\n"
    "  data:\n"
    "    notes: |\n"
    "      groups: of people\n"
    "    a.yaml: |\n"
    "      # mine\n"
    "      groups:\n"
    "      - name: g\n"
    "        rules:\n"
    "        - alert: A\n"
    "          expr: |\n"
    "            sum(x)\n"
    "              > 3   # three\n"
    "        - {alert: B, expr: 'y{a=\"b\"} > 3'}\n"
    "    b.yaml: \"groups:\\n- name: h\\n  rules:\\n  - alert: C\\n    expr: z{a=\\\"b\\\"} > "
    "3\\n\"\n"
    "- kind: PrometheusRule\n"
    "  spec: {groups: [{name: i, rules: [{alert: D, expr: w > 3}]}]}\n";

// The bytes that change are those of the expressions, however deep.
TEST(WithExpressionsTest, ReachesIntoTheKeysOfAConfigMap) {
  const RuleFile file = ParseRuleFile(kConfigMap, "cm.yaml");
  std::vector<std::string> wanted;
  std::vector<std::string> places;
  for (const FileRule& rule : file.rules) {
    places.push_back(rule.name + ":" + std::to_string(rule.line));
    wanted.push_back(rule.expr);
    wanted.back().replace(wanted.back().find('3'), 1, "4");
  }
  EXPECT_THAT(places, ElementsAre("D:20", "A:14", "B:17", "C:18"));
  std::string fixed = kConfigMap;
  for (const char* before : {"> 3   # three", "'y{a=\"b\"} > 3'", "z{a=\\\"b\\\"} > 3", "w > 3"}) {
    std::string after = before;
    after.replace(after.find('3'), 1, "4");
    fixed.replace(fixed.find(before), after.size(), after);
  }
  EXPECT_EQ(WithExpressions(file, wanted), fixed);
}

TEST(ParseRuleFileTest, FindsGroupsInTheValuesOfAChart) {
  const RuleFile file = ParseRuleFile(
      "serverFiles:\n  alerting_rules.yml:\n    groups:\n    - name: g\n      rules:\n"
      "      - {alert: A, expr: up}\nauth:\n  groups: [admins]\n",
      "values.yaml");
  ASSERT_EQ(file.rules.size(), 1u);
  EXPECT_EQ(file.rules[0].line, 6);
}

constexpr char kDashboard[] = R"json({
  "title": "Scheduler \ud83d\ude00",
  "panels": [
    {"title": "Latency", "datasource": {"type": "prometheus"},
     "targets": [{"refId": "A", "expr": "p99(a)"}, {"refId": "B", "expr": "sum(\n  b{x=\"y\"})"}]},
    {"title": "Row", "type": "row", "panels": [
      {"title": "Inner", "targets": [{"expr": "c"}]},
      {"title": "Logs", "datasource": {"type": "loki"}, "targets": [{"expr": "{app=\"x\"}"}]}]}
  ],
  "templating": {"list": [
    {"name": "job", "type": "query", "query": {"query": "label_values(up{a=\"b\"}, job)"}},
    {"name": "all", "type": "query", "query": "label_values(job)"}]},
  "annotations": {"list": [{"name": "Restarts", "expr": "d"}]}
})json";

TEST(ParseRuleFileTest, ReadsTheQueriesOfADashboard) {
  std::vector<std::string> read;
  for (const FileRule& rule : ParseRuleFile(kDashboard, "d.json").rules) {
    EXPECT_TRUE(rule.panel);
    read.push_back(rule.name + ":" + std::to_string(rule.line) + " " + rule.expr);
  }
  EXPECT_THAT(read, ElementsAre("Latency A:5 p99(a)", "Latency B:5 sum(\n  b{x=\"y\"})",
                                "Inner:7 c", "$job:11 up{a=\"b\"}", "Restarts:13 d"));
}

TEST(ParseRuleFileTest, ReadsTheQueriesOfPerses) {
  const std::string panels =
      "layouts: [], display: {name: S}, panels: {a: {spec: {display: {name: P}, queries: [{spec: "
      "{plugin: {kind: PrometheusTimeSeriesQuery, spec: {query: up}}}}, {spec: {plugin: {kind: "
      "LokiLogQuery, spec: {query: no}}}}]}}}";
  for (const std::string& text : {"{kind: Dashboard, spec: {" + panels + "}}",
                                  "{kind: PersesDashboard, spec: {config: {" + panels + "}}}"}) {
    const RuleFile file = ParseRuleFile(text, "d.yaml");
    ASSERT_EQ(file.rules.size(), 1u) << text;
    EXPECT_EQ(file.rules[0].expr, "up");
    EXPECT_EQ(file.rules[0].group, "S");
    EXPECT_EQ(file.rules[0].name, "P");
    EXPECT_TRUE(file.rules[0].panel);
  }
}

TEST(ParseRuleFileTest, ReadsTheDashboardOfAnOperatorsObject) {
  for (const std::string field : {"json", "definition"}) {
    const std::string text = "kind: D\nspec:\n  " + field +
                             ": |\n    {\"title\": \"S\", \"panels\": [{\"title\": \"P\", "
                             "\"targets\": [{\"expr\": \"up\"}]}]}\n";
    const RuleFile file = ParseRuleFile(text, "d.yaml");
    ASSERT_EQ(file.rules.size(), 1u) << field;
    EXPECT_EQ(file.rules[0].name, "P");
  }
}

TEST(WithExpressionsTest, ChangesADashboardInAConfigMapAsJson) {
  const std::string text =
      R"json({"kind": "ConfigMap", "data": {"a.json": "{\"title\": \"\\ud83d\\ude00\",)json"
      R"json( \"panels\": [{\"title\": \"T\", \"targets\": [{\"expr\": \"up > 3\"}]}]}"}})json";
  const RuleFile file = ParseRuleFile(text, "cm.json");
  ASSERT_EQ(file.rules.size(), 1u);
  std::string fixed = text;
  fixed.replace(fixed.find("> 3"), 3, "> 4");
  EXPECT_EQ(WithExpressions(file, {"up > 4"}), fixed);
}

TEST(WithExpressionsTest, ChangesADashboardInPlace) {
  const RuleFile file = ParseRuleFile(kDashboard, "d.json");
  std::string fixed = kDashboard;
  fixed.replace(fixed.find("b{x=\\\"y"), 7, "b{x=\\\"z");
  fixed.replace(fixed.find("up{a"), 2, "down");
  EXPECT_EQ(WithExpressions(file, {"p99(a)", "sum(\n  b{x=\"z\"})", "c", "down{a=\"b\"}", "d"}),
            fixed);
}

TEST(RuleFileForTest, IsAFileOfOneAlert) {
  EXPECT_EQ(ParseRuleFile(RuleFileFor("a > 1"), "x").rules[0].expr, "a > 1");
}

// As Prometheus reads them: files without rules.
TEST(ParseRuleFileTest, TakesAFileWithoutAWord) {
  for (const char* empty : {"", "# commented out\n", "---\n", "{}", "groups:\n", "groups: []",
                            "groups: [{name: g}]", "groups: [{name: g, rules: [null]}]"}) {
    const RuleFile file = ParseRuleFile(empty, "r.yaml");
    EXPECT_TRUE(file.rules.empty() && file.problems.empty()) << empty;
    EXPECT_EQ(WithExpressions(file, {}), empty);
  }
}

TEST(ParseRuleFileTest, SaysWhatAListByItselfLacks) {
  const auto said = [](const char* text) {
    try {
      ParseRuleFile(text, "r.yaml");
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(said("- name: g\n  rules: []\n"), HasSubstr("below `groups:`"));
  EXPECT_THAT(said("- alert: A\n  expr: up\n"), HasSubstr("below `rules:`"));
}

TEST(ParseRuleFileTest, NamesFileAndLineOfWhatIsWrong) {
  for (const char* bad : {"groups: 3", "- a", "kind: ConfigMap\n---\nkind: Secret\n", "a: [",
                          "groups:\n - 3\n", "groups:\n - name: g\n   rules: 3\n",
                          "groups: [{rules: [3]}]", "- rules: []", "- {alert: A, expr: up}"}) {
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
