#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "replay/change.h"
#include "replay/played.h"
#include "replay/what_if.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

TEST(NodesOfTest, IsTheCachesGauge) {
  test::Played played = test::Play("healthy");
  EXPECT_EQ(NodesOf(played.investigation), 50);
  played.investigation.facts = Facts();
  EXPECT_EQ(NodesOf(played.investigation), std::nullopt);
}

TEST(ApplyClusterSizeTest, UnknownSizeSaysWhichMetricIsMissing) {
  test::Played played = test::Play("healthy");
  played.investigation.facts = Facts();
  const Fitted fitted = FitScenario(played.investigation);
  Changed changed{fitted, fitted, false, {}};
  try {
    ApplyClusterSize(ParseChange("nodes=100"), &changed);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInsufficientData);
    EXPECT_THAT(error.what(), HasSubstr("scheduler_scheduler_cache_size"));
  }
}

TEST(ApplyClusterSizeTest, FilterGrowsByTheNodesThatAreLookedAt) {
  const test::Played played = test::Play("healthy");
  const Fitted fitted = FitScenario(played.investigation);
  Changed changed{fitted, fitted, false, {}};
  ApplyClusterSize(ParseChange("nodes=10000"), &changed);
  const auto filter = [](const Fitted& of) {
    return of.scenario.segments.back().conditions.costs[sim::Cost::kFilter].wall.Mean();
  };
  EXPECT_TRUE(changed.differ);
  EXPECT_GT(filter(changed.likely), 3 * filter(fitted));
  EXPECT_GT(filter(changed.extreme), 10 * filter(fitted)) << "500 nodes in place of 50, and colder";
  EXPECT_LT(filter(changed.extreme), 50 * filter(fitted));
  EXPECT_THAT(InEnglish(changed.assumptions),
              testing::Contains(HasSubstr("500 of them must fit before the search stops")));
}

TEST(ApplyClusterSizeTest, ThePredictionHoldsALargerClustersTruth) {
  const test::Played played = test::Play("healthy", 5);
  const Prediction prediction = PredictChange(played.investigation, {ParseChange("nodes=5000")}, 5);
  sim::Scenario larger = played.scenario;
  larger.nodes.front().count = 5000;
  sim::RunOptions options;
  options.seed = 6;
  options.scrape = false;
  const auto truth = ScheduledSeconds(larger, sim::RunScenario(larger, options));
  const Measured& p99 = prediction.e2e.at(2).after;
  EXPECT_LE(*p99.low, NearestRank(truth, 0.99));
  EXPECT_GE(*p99.high, NearestRank(truth, 0.99));
}

}  // namespace
}  // namespace schedlens
