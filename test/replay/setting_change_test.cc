#include <gtest/gtest.h>

#include "replay/change.h"
#include "replay/played.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using sim::Cost;

Changed AfterSetting(const test::Played& played, const std::string& change) {
  const Fitted fitted = FitScenario(played.investigation);
  Changed changed{fitted, fitted, false, {}};
  Apply(ParseChange(change), played.investigation, &changed);
  return changed;
}

double MeanAfter(const Fitted& fitted, Cost cost) {
  return fitted.scenario.segments.back().conditions.costs[cost].wall.Mean();
}

TEST(ApplySettingTest, BackoffIsTheReplaysOwn) {
  const test::Played played = test::Play("attempts.error");
  EXPECT_EQ(AfterSetting(played, "backoff=20s").likely.scenario.initial_backoff, 20);
  EXPECT_EQ(AfterSetting(played, "backoff=20s").likely.scenario.max_backoff, 20)
      << "not below the first";
  EXPECT_EQ(AfterSetting(played, "backoff.max*=3").likely.scenario.max_backoff, 30);
}

TEST(ApplySettingTest, OneCoreHasNoSecondWorker) {
  const test::Played played = test::Play("algorithm.score");
  const Changed one = AfterSetting(played, "cores=1");
  const Fitted before = FitScenario(played.investigation);
  EXPECT_NEAR(MeanAfter(one.likely, Cost::kScore) / MeanAfter(before, Cost::kScore), 1.9, 0.15);
  EXPECT_EQ(one.likely.scenario.segments.back().conditions.cores, 1);
  const Changed eight = AfterSetting(played, "cores=8");
  EXPECT_LT(MeanAfter(eight.likely, Cost::kScore), 0.6 * MeanAfter(before, Cost::kScore));
  EXPECT_GE(MeanAfter(eight.extreme, Cost::kScore), MeanAfter(before, Cost::kScore))
      << "there may have been more all along";
  EXPECT_THROW(AfterSetting(played, "cores*=2"), Error) << "of how many is not known";
}

TEST(ApplySettingTest, AKeyDoesWhatTheConfigurationsFieldDoes) {
  const test::Played played = test::Play("algorithm.filter");
  const std::string start =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  const struct {
    const char* change;
    const char* yaml;
  } rows[] = {{"parallelism=4", "parallelism: 4\n"},
              {"percentageOfNodesToScore=20", "percentageOfNodesToScore: 20\n"}};
  for (const auto& row : rows) {
    Change file = ParseChange("config=a.yaml");
    file.text = start + row.yaml;
    const Fitted fitted = FitScenario(played.investigation);
    Changed by_file{fitted, fitted, false, {}};
    Apply(file, played.investigation, &by_file);
    const Changed by_key = AfterSetting(played, row.change);
    for (const Cost cost : {Cost::kFilter, Cost::kScore}) {
      EXPECT_EQ(MeanAfter(by_key.likely, cost), MeanAfter(by_file.likely, cost)) << row.change;
      EXPECT_EQ(MeanAfter(by_key.extreme, cost), MeanAfter(by_file.extreme, cost)) << row.change;
    }
  }
}

TEST(ApplyTest, AStageOfSeveralCostsTakesAsLongAsIsSaid) {
  const test::Played played = test::Play("algorithm.filter");
  const Changed loop = AfterSetting(played, "algorithm=5ms");
  double seconds = MeanAfter(loop.likely, Cost::kSnapshot);
  for (const Cost cost : LoopPoints()) seconds += MeanAfter(loop.likely, cost);
  EXPECT_NEAR(seconds, 0.005, 1e-9);
  const Changed prebind = AfterSetting(played, "prebind=3");
  EXPECT_NEAR(MeanAfter(prebind.likely, Cost::kPreBind), 3, 1e-9);
  EXPECT_EQ(MeanAfter(prebind.likely, Cost::kPreBindWait), 0);
}

TEST(RemoveExtendersTest, TakesAwayWhatWasSeen) {
  const Changed bind = AfterSetting(test::Play("bind.extender"), "extender=removed");
  EXPECT_FALSE(bind.likely.scenario.extenders.front().bind);
  EXPECT_GT(MeanAfter(bind.likely, Cost::kBindApi), 0);
  const test::Played slow = test::Play("algorithm.extender");
  const Changed loop = AfterSetting(slow, "extender=removed");
  EXPECT_LT(MeanAfter(loop.likely, Cost::kSnapshot),
            0.1 * MeanAfter(FitScenario(slow.investigation), Cost::kSnapshot));
  const Changed none = AfterSetting(test::Play("healthy"), "extender=removed");
  EXPECT_EQ(none.assumptions.back().id, "whatif.no_extender.seen");
}

TEST(RemoveExtendersTest, ABindPastItIsNoSlowerThanWithItInTheQuietPeriod) {
  const test::Played played = test::Play("bind.extender");
  const Changed removed = AfterSetting(played, "extender=removed");
  const sim::Conditions& quiet = removed.likely.scenario.segments.front().conditions;
  const double most = MeanAfter(removed.extreme, Cost::kBindApi);
  EXPECT_LT(MeanAfter(removed.likely, Cost::kBindApi), most);
  EXPECT_GE(most, 0.98 * quiet.costs[Cost::kExtBind].wall.Mean());
  EXPECT_LT(most, 0.5 * MeanAfter(removed.extreme, Cost::kExtBind)) << "which was slow";
}

}  // namespace
}  // namespace schedlens
