#include <gtest/gtest.h>

#include "diagnose/incident.h"
#include "diagnose/pipeline/diagnose.h"

namespace schedlens {
namespace {

using test::Attempt;

const StageTime& Find(const std::vector<StageTime>& tree, const std::string& id) {
  for (const StageTime& stage : tree) {
    if (stage.id == id) return stage;
  }
  throw std::runtime_error("no stage " + id);
}

TEST(StageTreeTest, TopLevelSharesAddUpToOne) {
  const auto r = test::Judge([](int i) { return i % 10 ? test::Quick(i) : Attempt{.bind = 2}; });
  double sum = 0;
  for (const StageTime& stage : StageTree(r.c, {})) {
    if (stage.parent.empty()) sum += stage.share.value.value_or(0);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(StageTreeTest, AStageCarriesExcessTailAndBaseline) {
  const auto r = test::Judge([](int i) { return i % 10 ? test::Quick(i) : Attempt{.bind = 2}; });
  const auto tree = StageTree(r.c, {});
  const StageTime& bind = Find(tree, "bind");
  EXPECT_GT(*bind.excess->value, 290);
  EXPECT_NEAR(*bind.excess->value, *bind.excess_mix->value + *bind.excess_cost->value, 1e-9);
  EXPECT_GT(*bind.tail_time_share->low, 0.9);
  EXPECT_TRUE(Find(tree, "bind.plugins").saturated);
  EXPECT_FALSE(Find(tree, "bind.throttle").seconds.value) << "no limiter metric: not known";
}

TEST(StageTreeTest, ATailEstimateStaysInsideWhatIsProven) {
  const auto r = test::Judge([](int i) { return i % 10 ? test::Quick(i) : Attempt{.bind = 2}; });
  const auto tree = StageTree(r.c, {{kube::Stage::kBind, 0.001}, {kube::Stage::kAlgorithm, 2}});
  const Measured& bind = *Find(tree, "bind").tail_time_share;
  EXPECT_EQ(bind.value, bind.low);
  const Measured& algorithm = *Find(tree, "algorithm").tail_time_share;
  EXPECT_EQ(algorithm.value, algorithm.high);
  EXPECT_FALSE(Find(tree, "prebind").tail_time_share->value);
}

TEST(StageTreeTest, SufficientIsTheFractionOfSlowAttemptsThatTheStageAloneMadeSlow) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) {
    if (i % 10 == 0) return Attempt{.bind = 3};
    return i % 10 == 5 ? Attempt{.filter = 3} : test::Quick(i);
  });
  const auto recorded = test::Judge(r, 1.024);
  const Measured bind = *Find(StageTree(recorded.c, {}), "bind").sufficient;
  EXPECT_DOUBLE_EQ(*bind.low, 0.5);
  EXPECT_DOUBLE_EQ(*bind.high, 0.5);
  EXPECT_FALSE(Find(StageTree(test::Judge(r).c, {}), "bind").sufficient) << "no threshold";
}

TEST(StageTreeTest, FromOneTwentyOneTheTwoRemaindersAreOne) {
  test::Recorder r;
  r.with_binding = false;
  test::RecordIncident(&r,
                       [](int i) { return i % 10 ? test::Quick(i) : Attempt{.extender_bind = 2}; });
  const auto recorded = test::Judge(r);
  const auto tree = StageTree(recorded.c, {});
  EXPECT_FALSE(Find(tree, "unmeasured").seconds.value);
  EXPECT_GT(*Find(tree, "bind.unmeasured").share.value, 0.9);
}

}  // namespace
}  // namespace schedlens
