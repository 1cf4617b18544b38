#include <gtest/gtest.h>

#include <chrono>

#include "base/url.h"
#include "diagnose/alert/alert.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr const char* kAlertmanager = R"({
  "receiver":"page","status":"firing","alerts":[
    {"status":"firing","labels":{"alertname":"SlowP99","result":"scheduled"},
     "annotations":{"summary":"slow"},"startsAt":"2026-11-21T10:00:00.123456789Z",
     "endsAt":"0001-01-01T00:00:00Z",
     "generatorURL":"http://prom:9090/graph?g0.expr=x+%3E+3&g0.tab=1","fingerprint":"f"},
    {"status":"resolved","labels":{"alertname":"SlowP99","result":"error"},
     "startsAt":"2026-11-21T11:00:00+02:00","endsAt":"2026-11-21T09:30:00Z","generatorURL":""}],
  "groupLabels":{},"commonLabels":{},"externalURL":"http://am","version":"4","groupKey":"k",
  "truncatedAlerts":0})";

TEST(AlertWebhook, Alertmanagers) {
  const auto alerts = ReadWebhook(kAlertmanager, "hook.json");
  ASSERT_EQ(alerts.size(), 2u);
  EXPECT_EQ(alerts[0].name, "SlowP99");
  EXPECT_TRUE(alerts[0].firing);
  EXPECT_EQ(alerts[0].start, 1795255200123);
  EXPECT_FALSE(alerts[0].end);
  EXPECT_EQ(alerts[0].url, "http://prom:9090/graph?g0.expr=x+%3E+3&g0.tab=1");
  EXPECT_FALSE(alerts[1].firing);
  EXPECT_EQ(alerts[1].start, 1795251600000);
  EXPECT_EQ(alerts[1].end, 1795253400000);
}

TEST(AlertWebhook, OneAlertOrAListOfThem) {
  EXPECT_EQ(ReadWebhook(R"({"labels":{"alertname":"A"}})", "x").at(0).name, "A");
  EXPECT_EQ(
      ReadWebhook(R"([{"labels":{"alertname":"A"}},{"labels":{"alertname":"B"}}])", "x").size(),
      2u);
}

TEST(AlertWebhook, WhatIsNoneIsRefusedByName) {
  for (const char* text : {"", "x", "{}", "[]", "7", R"({"alerts":[]})", R"({"alerts":[7,{}]})",
                           R"({"alerts":{"labels":7}})"}) {
    try {
      ReadWebhook(text, "hook.json");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("hook.json: ", 0), 0u);
    }
  }
}

TEST(AlertWebhook, ExpressionsInLinks) {
  const std::string pane = PercentEncode(
      R"json({"a":{"datasource":"p","queries":[{"refId":"A","expr":"rate(x[5m])"}],"range":{}}})json");
  const std::string left = PercentEncode(R"json({"queries":[{"expr":"rate(y[5m])"}]})json");
  struct Case {
    std::string url;
    std::string expr;
    std::optional<TimeMs> at;
  };
  for (const Case& c : {
           Case{"http://prom:9090/graph?g0.expr=histogram_quantile%280.99%2C+x%29+%3E+3&g0.tab=1",
                "histogram_quantile(0.99, x) > 3", std::nullopt},
           Case{"https://h/thanos/"
                "graph?g0.range_input=1h&g0.end_input=2026-11-21%2010%3A00&g0.expr=up",
                "up", 1795255200000},
           Case{"http://vm:8428/vmui/#/?g0.expr=up&g0.end_input=2026-11-21T10%3A00%3A05", "up",
                1795255205000},
           Case{"https://grafana/explore?schemaVersion=1&panes=" + pane + "&orgId=1", "rate(x[5m])",
                std::nullopt},
           Case{"https://grafana/explore?left=" + left, "rate(y[5m])", std::nullopt},
       }) {
    const auto linked = ReadGraphUrl(c.url);
    ASSERT_TRUE(linked) << c.url;
    EXPECT_EQ(linked->expr, c.expr);
    EXPECT_EQ(linked->at, c.at) << c.url;
  }
  for (const char* url : {"", "https://grafana/alerting/grafana/abc/view?orgId=1", "http://h/graph",
                          "https://g/explore?panes=%7B", "https://g/explore?panes=%7B%7D", "???"}) {
    EXPECT_FALSE(ReadGraphUrl(url)) << url;
  }
}

TEST(AlertWebhook, ALinkIsReadOnceHoweverManyQuestionMarks) {
  const auto start = std::chrono::steady_clock::now();
  const std::string marks(std::size_t{60} << 10, '?');
  EXPECT_FALSE(ReadGraphUrl("http://h/graph" + marks));
  EXPECT_EQ(ReadGraphUrl("http://h/graph?a=?&g0.expr=up")->expr, "up");
  EXPECT_FALSE(ReadGraphUrl("http://h/graph?g0.expr=" + std::string(std::size_t{1} << 20, '?')))
      << "longer than any link";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Webhook, ALinkLeadsToItsServer) {
  const std::string pane = PercentEncode(
      R"json({"a":{"datasource":"p","queries":[{"expr":"up","datasource":{"uid":"p-1_x"}}],)json"
      R"json("range":{"from":"1795251600000","to":"1795255200000"}}})json");
  const std::string odd =
      PercentEncode(R"json({"a":{"datasource":"../../x","queries":[{"expr":"up"}]}})json");
  const struct {
    std::string url;
    std::string server;
  } cases[] = {
      {"http://prom:9090/graph?g0.expr=up", "http://prom:9090"},
      {"https://h/thanos/graph?g0.expr=up", "https://h/thanos"},
      {"https://h/prom/query?g0.expr=up", "https://h/prom"},
      {"http://vm:8428/vmui/#/?g0.expr=up", "http://vm:8428"},
      {"http://vm:8481/select/0/vmui/?#/?g0.expr=up", "http://vm:8481/select/0"},
      {"https://g/x/explore?panes=" + pane, "https://g/x/api/datasources/proxy/uid/p-1_x"},
      {"https://g/explore?panes=" + odd, ""},
      {"https://h/elsewhere?g0.expr=up", ""},
  };
  for (const auto& one : cases) {
    const auto linked = ReadGraphUrl(one.url);
    ASSERT_TRUE(linked) << one.url;
    EXPECT_EQ(linked->server, one.server) << one.url;
  }
  EXPECT_EQ(ReadGraphUrl("https://g/x/explore?panes=" + pane)->at, 1795255200000);
}

}  // namespace
}  // namespace schedlens
