#include <gtest/gtest.h>

#include "diagnose/alert/alert.h"
#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

ServerRule Recording(const std::string& name, const std::string& expr, Labels labels = Labels()) {
  ServerRule rule;
  rule.name = name;
  rule.expr = expr;
  rule.labels = std::move(labels);
  return rule;
}

TEST(AlertRules, ReadsWhatTheApiLists) {
  const auto rules = ReadRules(R"json({"status":"success","data":{"groups":[
    {"name":"sched","file":"r.yml","interval":15,"rules":[
      {"state":"firing","name":"SlowP99","query":"x > 3","duration":60,"labels":{"severity":"page"},
       "annotations":{},"alerts":[
         {"labels":{"alertname":"SlowP99","result":"scheduled"},"state":"firing",
          "activeAt":"2026-11-21T10:00:00.5Z","value":"4e+00"},
         {"labels":{},"state":"pending","activeAt":"2026-11-21T10:00:00Z"}],
       "health":"ok","type":"alerting"},
      {"name":"a:b","query":"sum(a)","labels":{},"health":"ok","type":"recording"},
      {"name":"?","type":"newer"}]
},
    {"name":"empty","rules":null}]}})json");
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_TRUE(rules[0].alerting);
  EXPECT_EQ(rules[0].name, "SlowP99");
  EXPECT_EQ(rules[0].expr, "x > 3");
  EXPECT_EQ(rules[0].group, "sched");
  EXPECT_EQ(rules[0].for_ms, 60000);
  EXPECT_EQ(rules[0].labels.Get("severity"), "page");
  ASSERT_EQ(rules[0].firings.size(), 1u);
  EXPECT_EQ(rules[0].firings[0].start, 1795255200500 + 60000);
  EXPECT_FALSE(rules[0].firings[0].end);
  EXPECT_EQ(rules[0].firings[0].labels.Get("result"), "scheduled");
  EXPECT_FALSE(rules[1].alerting);
}

TEST(AlertRules, RefusesOtherAnswers) {
  for (const char* text : {"", "[]", "{}", "<html>", R"({"data":[]})", R"({"data":{}})"}) {
    EXPECT_THROW(ReadRules(text), Error) << text;
  }
}

TEST(AlertRules, RecordingRulesAreSeenThrough) {
  const std::vector<ServerRule> rules = {
      Recording("q:p99", "histogram_quantile(0.99, b:rate5m)", Labels({{"quantile", "0.99"}})),
      Recording("q:p99", "histogram_quantile(0.9, b:rate5m)", Labels({{"quantile", "0.9"}})),
      Recording("b:rate5m", "sum by (le) (rate(x_bucket[5m]))"),
      Recording("loop:a", "loop:b + 1"),
      Recording("loop:b", "loop:a"),
      Recording("twice", "a"),
      Recording("twice", "b"),
  };
  struct Case {
    const char* expr;
    const char* want;
  };
  for (const Case& c : {
           Case{"q:p99{quantile=\"0.99\"} > 3",
                "(histogram_quantile(0.99, (sum by (le) (rate(x_bucket[5m]))))) > 3"},
           Case{"b:rate5m + b:rate5m",
                "(sum by (le) (rate(x_bucket[5m]))) + (sum by (le) (rate(x_bucket[5m])))"},
           Case{"up > 3", "up > 3"},
           Case{"b:rate5m offset 5m", "b:rate5m offset 5m"},
           Case{"max_over_time(b:rate5m[1h])", "max_over_time(b:rate5m[1h])"},
           Case{"loop:a", "loop:a"},
           Case{"twice > 1", "twice > 1"},
           Case{"q:p99 > 3", "q:p99 > 3"},
           Case{"not ( promql", "not ( promql"},
       }) {
    EXPECT_EQ(SeeThroughRecordingRules(c.expr, rules).expr, c.want);
  }
}

TEST(AlertRules, WhatIsLostInReplacingIsSaid) {
  const auto expanded = SeeThroughRecordingRules("b:rate5m{cluster=\"a\"}",
                                                 {Recording("b:rate5m", "sum(rate(x[5m]))")});
  EXPECT_EQ(expanded.expr, "(sum(rate(x[5m])))");
  EXPECT_EQ(InEnglish(expanded.notes),
            (std::vector<std::string>{"b:rate5m is recorded from sum(rate(x[5m]))",
                                      "the alert's matchers on b:rate5m (cluster) apply to the "
                                      "recorded series only"}));
}

TEST(PickRulesTest, KeepsTheAlertAndWhatItStandsOn) {
  const std::string text = R"json({"status":"success","data":{"groups":[
    {"name":"a","file":"f","rules":[
      {"type":"recording","name":"one","query":"rate(x[5m])","health":"ok"},
      {"type":"recording","name":"two","query":"sum(one)"},
      {"type":"recording","name":"other","query":"sum(y)"}]},
    {"name":"b","rules":[
      {"type":"alerting","name":"Slow","query":"two > 3","duration":60,"labels":{"severity":"page"},
       "annotations":{"summary":"private"},
       "alerts":[{"state":"firing","activeAt":"2026-01-01T00:00:00Z","labels":{"a":"b"},
                  "annotations":{"summary":"private"}}]},
      {"type":"alerting","name":"Other","query":"one > 1"}]}]}})json";
  const RulesOfAlert picked = PickRules(text, "Slow");
  EXPECT_EQ(picked.expr, "two > 3");
  EXPECT_EQ(picked.recorded, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(picked.json.find("private"), std::string::npos);
  EXPECT_EQ(picked.json.find('\n'), std::string::npos);
  const auto all = ReadRules(text), kept = ReadRules(picked.json);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[2].name, "Slow");
  EXPECT_EQ(kept[2].group, "b");
  EXPECT_EQ(kept[2].for_ms, 60'000);
  EXPECT_EQ(kept[2].labels, all[3].labels);
  EXPECT_EQ(kept[2].firings, all[3].firings);
  EXPECT_TRUE(PickRules(text, "None").json.empty());
  EXPECT_THROW(PickRules("<html>", "Slow"), Error);
}

}  // namespace
}  // namespace schedlens
