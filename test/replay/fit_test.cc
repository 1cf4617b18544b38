#include "replay/fit.h"

#include <gtest/gtest.h>

#include <string>

#include "replay/played.h"

namespace schedlens {
namespace {

TEST(FitTest, RatesAndMeansComeBack) {
  const test::Played played = test::Play("bind.extender");
  const Fitted fitted = FitScenario(played.investigation);
  ASSERT_TRUE(fitted.has_baseline());
  const sim::Conditions& incident = fitted.scenario.segments.back().conditions;
  EXPECT_NEAR(incident.rate, 20, 1);
  const TimeBreakdown& now = played.investigation.evidence->now.breakdown;
  EXPECT_NEAR(incident.costs[sim::Cost::kExtBind].wall.Mean(),
              now.Seconds(kube::Stage::kBindUnmeasured) / now.extender_binds, 1e-6);
  EXPECT_EQ(fitted.scenario.extenders.size(), 1u);
  EXPECT_EQ(fitted.scenario.release.minor, 20);
}

TEST(FitTest, WithoutABaselineThereIsOneStretch) {
  test::Played played = test::Play("healthy");
  played.investigation.evidence->baseline.reset();
  const Fitted fitted = FitScenario(played.investigation);
  EXPECT_FALSE(fitted.has_baseline());
  EXPECT_EQ(fitted.scenario.segments.size(), 1u);
}

/// Of the quiet period what is in these milliseconds of the recording.
void CutBaseline(TimeMs from, TimeMs to, Investigation* investigation) {
  std::optional<Measurement>& baseline = investigation->evidence->baseline;
  const TimeMs start = baseline->breakdown.window.start;
  baseline =
      Measure(investigation->facts, investigation->histograms, TimeRange{start + from, start + to});
}

TEST(FitTest, TheQuietPeriodBeginsAtItsFirstScrapeAndIsReadSoEverywhere) {
  test::Played played = test::Play("bind.apiserver");
  CutBaseline(32'000, 120'000, &played.investigation);
  const Measurement whole = *played.investigation.evidence->baseline;
  const std::vector<TimeMs>& edges = whole.cells.attempt.front().edges;
  ASSERT_LT(edges.at(0), whole.breakdown.window.start);
  const Fitted fitted = FitScenario(played.investigation);
  const TimeBreakdown& quiet = fitted.baseline->breakdown;
  EXPECT_EQ(quiet.window.start, edges.at(1));
  EXPECT_EQ(quiet.window.end, whole.breakdown.window.end);
  EXPECT_LT(quiet.scheduled(), whole.breakdown.scheduled());
  EXPECT_NEAR(fitted.rates.front(), quiet.scheduled() / quiet.window.seconds(), 0.5);
}

// Where all its attempts lie before the first scrape it is kept whole.
TEST(FitTest, AQuietPeriodIsNotCutToNothing) {
  const char* const yaml = R"y(
name: early
kubernetes_version: "1.26"
cluster: {nodes: [{count: 20}]}
workload: {rate: 0.001, templates: [{name: web, life: "u(20,40)"}]}
scrape: {interval: 10s}
faults: [{rate: 0.001}]
actions:
  - {at: 3s, do: burst, template: web, count: 1}
  - {at: 33s, do: burst, template: web, count: 40}
  - {at: 200s, do: burst, template: web, count: 40}
)y";
  test::Played played = test::PlayScenario(sim::ParseScenario(yaml, "early"), 3);
  CutBaseline(36'000, 120'000, &played.investigation);
  const Measurement whole = *played.investigation.evidence->baseline;
  ASSERT_LT(whole.cells.attempt.front().edges.at(0), whole.breakdown.window.start);
  ASSERT_GT(whole.breakdown.scheduled(), 1);
  const Fitted fitted = FitScenario(played.investigation);
  ASSERT_TRUE(fitted.has_baseline());
  EXPECT_EQ(fitted.baseline->breakdown.window, whole.breakdown.window);
}

TEST(FitTest, FewerAttemptsStandForTheWholeUnlessTheyWaitForEachOther) {
  for (const char* name : {"bind.extender", "bind.client-throttling"}) {
    const test::Played played = test::Play(name);
    const Fitted all = FitScenario(played.investigation);
    const Fitted some = FitScenario(played.investigation, {.window = 600, .baseline = 300});
    const sim::Scenario& part = some.scenario;
    const double seconds = sim::ToSeconds(part.incident_end - part.incident_start);
    if (some.limited) {
      EXPECT_EQ(seconds, sim::ToSeconds(all.scenario.incident_end - all.scenario.incident_start));
    } else {
      const auto scheduled = played.investigation.evidence->now.breakdown.scheduled();
      EXPECT_NEAR(seconds, all.window.seconds() * 600 / scheduled, 0.01) << name;
    }
    EXPECT_LT(part.incident_start, all.scenario.incident_start) << name;
    EXPECT_EQ(some.window, all.window) << name;
    EXPECT_EQ(part.segments.back().conditions.costs[sim::Cost::kBindApi].wall.Mean(),
              all.scenario.segments.back().conditions.costs[sim::Cost::kBindApi].wall.Mean());
  }
}

// Their end is of interest only to pods that wait for room.
TEST(FitTest, BoundPodsEndOnlyWhereAttemptsFailed) {
  for (const char* name : {"bind.extender", "attempts.error"}) {
    const test::Played played = test::Play(name);
    const bool fails = played.investigation.evidence->now.breakdown.failed() >= 1;
    EXPECT_EQ(fails, std::string(name) == "attempts.error");
    const Fitted fitted = FitScenario(played.investigation);
    EXPECT_EQ(fitted.scenario.templates.front().life.IsZero(), !fails) << name;
  }
}

}  // namespace
}  // namespace schedlens
