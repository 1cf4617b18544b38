#include <gtest/gtest.h>

#include "diagnose/alert/alert.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(GrafanaRulePage, IsReadFromItsAddress) {
  const auto own = ReadRulePage("https://g.example/sub/alerting/grafana/ab-c_1/view?orgId=1");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->grafana, "https://g.example/sub");
  EXPECT_EQ(own->uid, "ab-c_1");
  EXPECT_EQ(own->datasource, "");
  const auto of_source = ReadRulePage(
      "http://g:3000/alerting/My%20Prom/pri%24My%20Prom%24rules.yml%24sched%24SchedulerSlow%24123/"
      "view");
  ASSERT_TRUE(of_source);
  EXPECT_EQ(of_source->datasource, "My Prom");
  EXPECT_EQ(of_source->name, "SchedulerSlow");
  const auto without_group =
      ReadRulePage("http://g:3000/alerting/P/pri%24P%24f%24%24SchedulerSlow%24123/view");
  ASSERT_TRUE(without_group);
  EXPECT_EQ(without_group->name, "SchedulerSlow");
}

TEST(GrafanaRulePage, IsNothingElse) {
  for (const char* url :
       {"", "http://g/alerting/list", "http://g/alerting/grafana/a/b/view",
        "http://g/alerting/grafana/a%2Fb/view", "http://g/alerting/Prom/short/view",
        "http://prom/graph?g0.expr=up", "/alerting/grafana/a/view"}) {
    EXPECT_FALSE(ReadRulePage(url)) << url;
  }
}

std::string Rule(const std::string& condition) {
  return R"({"condition":"C","data":[{"refId":"A","datasourceUid":"p1","model":{"expr":"q"}},
      {"refId":"B","datasourceUid":"__expr__","model":{"type":"reduce","expression":"A"}},
      {"refId":"C","datasourceUid":"__expr__","model":)" +
         condition + "}]}";
}

TEST(GrafanaRule, FollowsItsConditionToTheQuery) {
  const std::pair<const char*, const char*> table[] = {
      {R"({"type":"threshold","expression":"B","conditions":[{"evaluator":{"type":"gt","params":[3]}}]})",
       "(q) > 3"},
      {R"({"type":"threshold","expression":"A","conditions":[{"evaluator":{"type":"lt","params":[0.5]}}]})",
       "(q) < 0.5"},
      {R"({"type":"classic_conditions","conditions":[{"evaluator":{"type":"gt","params":[2]},"query":{"params":["A"]}}]})",
       "(q) > 2"},
      {R"({"type":"math","expression":"$B >= 1.5"})", "(q) >= 1.5"},
      {R"({"type":"math","expression":"${A}>2"})", "(q) > 2"},
      {R"({"type":"threshold","expression":"B","conditions":[{"evaluator":{"type":"within_range","params":[1,2]}}]})",
       "q"},
  };
  for (const auto& [condition, expr] : table) {
    const GrafanaRule rule = ReadGrafanaRule(Rule(condition));
    EXPECT_EQ(rule.expr, expr);
    EXPECT_EQ(rule.datasource_uid, "p1");
  }
}

TEST(GrafanaRule, WithoutAQueryIsAnError) {
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{}"),
                                  Rule(R"({"type":"threshold","expression":"C"})"),
                                  Rule(R"({"type":"math","expression":"$A / $B"})")}) {
    EXPECT_THROW(ReadGrafanaRule(text), Error) << text;
  }
  EXPECT_EQ(ReadDatasourceUid(R"({"id":1,"uid":"p1"})"), "p1");
  EXPECT_THROW(ReadDatasourceUid("{}"), Error);
}

}  // namespace
}  // namespace schedlens
