// The firings of an alert in the samples of ALERTS.

#include <gtest/gtest.h>

#include <map>

#include "diagnose/alert/alert.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

/// Answers every question with the series given.
class FixedSource : public Source {
 public:
  explicit FixedSource(std::vector<Series> series) : series_(std::move(series)) {}
  Answer Ask(const Query& query) override {
    asked = query.promql;
    Answer answer;
    answer.series = series_;
    return answer;
  }
  SourceInfo Describe() override { return {}; }
  std::string asked;

 private:
  std::vector<Series> series_;
};

TEST(FindFirings, FiringsAreTheStretchesOfAlerts) {
  const Labels labels({{"alertname", "A\"b"}});
  FixedSource source(
      {{labels, {{0, 1}, {15000, 1}, {30000, 1}, {300000, 1}, {315000, 1}, {600000, 1}}, {}}});
  const auto firings = FindFirings(source, "A\"b", {0, 610000});
  EXPECT_EQ(source.asked, "ALERTS{alertname=\"A\\\"b\",alertstate=\"firing\"}[10m10s]");
  const std::vector<Firing> want = {
      {labels, 0, 30000}, {labels, 300000, 315000}, {labels, 600000, std::nullopt}};
  EXPECT_EQ(firings, want);
  EXPECT_TRUE(FindFirings(source = FixedSource({}), "A", {0, 1000}).empty());
}

/// Samples of ALERTS by the state that is asked for.
class AlertsSource : public Source {
 public:
  Answer Ask(const Query& query) override {
    Answer answer;
    for (const auto& [state, samples] : states) {
      if (query.promql.find("\"" + state + "\"") == std::string::npos) continue;
      answer.series.push_back({Labels({{"alertname", "Slow"}}), samples, {}});
    }
    return answer;
  }
  SourceInfo Describe() override { return {}; }
  std::map<std::string, std::vector<Sample>> states;
};

TEST(WhyNotFired, AnAlertThatOnlyWaitsSaysSinceWhen) {
  AlertsSource source;
  ResolvedAlert alert;
  EXPECT_TRUE(WhyNotFired(source, alert, {0, 60'000}).empty()) << "no name";
  alert.name = "Slow";
  alert.for_ms = 300'000;
  EXPECT_EQ(InEnglish(WhyNotFired(source, alert, {0, 60'000})),
            "ALERTS has no sample of Slow from 1970-01-01T00:00:00Z on: it did not fire, or its "
            "samples are not stored");
  alert.firings = {{{}, 20'000, std::nullopt}};
  EXPECT_EQ(InEnglish(WhyNotFired(source, alert, {0, 60'000})),
            "ALERTS has no sample of Slow though it fired at 1970-01-01T00:00:20Z: its samples are "
            "not stored here");
  source.states["pending"] = {{15'000, 1}, {30'000, 1}, {45'000, 1}, {60'000, 1}};
  EXPECT_EQ(
      InEnglish(WhyNotFired(source, alert, {0, 60'000})),
      "Slow has been pending since 1970-01-01T00:00:15Z: the rule (for 5m) has not fired yet");
  EXPECT_EQ(InEnglish(WhyNotFired(source, alert, {0, 600'000})),
            "Slow was pending from 1970-01-01T00:00:15Z to 1970-01-01T00:01:00Z: the rule (for 5m) "
            "did not fire");
  source.states["firing"] = {{75'000, 1}};
  EXPECT_TRUE(WhyNotFired(source, alert, {0, 80'000}).empty());
}

}  // namespace
}  // namespace schedlens
