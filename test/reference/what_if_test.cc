#include "reference/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/played.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

TEST(PredictChangeTest, WithoutTheCauseTheTailIsQuiet) {
  const test::Played played = test::Play("bind.extender");
  const Prediction p = PredictChange(played.investigation, {ParseChange("bind.extender=0.01")}, 3);
  ASSERT_EQ(p.e2e.size(), 4u);
  const PredictedChange& p99 = p.e2e[2];
  const std::vector<double> truth = ScheduledSeconds(played.scenario, played.truth);
  EXPECT_LE(*p99.before.low, NearestRank(truth, 0.99));
  EXPECT_GE(*p99.before.high, NearestRank(truth, 0.99));
  EXPECT_LT(*p99.after.high, 0.1);
  EXPECT_FALSE(p.assumptions.empty());
}

TEST(PredictChangeTest, TheAlertFiresOnlyWithTheCause) {
  test::Played played = test::Play("bind.extender");
  played.investigation.diagnosis.alert.emplace();
  played.investigation.diagnosis.alert->metric = "scheduler_e2e_scheduling_duration_seconds";
  played.investigation.diagnosis.alert->threshold = 3;
  const auto predict = [&] {
    return PredictChange(played.investigation, {ParseChange("bind.extender=baseline")}, 2);
  };
  EXPECT_EQ(predict().fires_before, true);
  EXPECT_EQ(predict().fires_after, false);
  // The median does not fire, and another metric is not judged.
  played.investigation.diagnosis.alert->quantile = 0.5;
  EXPECT_EQ(predict().fires_before, false);
  played.investigation.diagnosis.alert->metric = "scheduler_binding_duration_seconds";
  EXPECT_EQ(predict().fires_before, std::nullopt);
}

TEST(PredictChangeTest, WhatCannotBeFittedIsSaidInOneLine) {
  const std::vector<Change> none;
  test::Played played = test::Play("bind.extender");
  auto& results = played.investigation.evidence->now.breakdown;
  const auto why = [&](const Investigation& investigation) {
    try {
      PredictChange(investigation, none, 1);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInsufficientData);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(why({}), HasSubstr("no scheduler was found"));
  results.by_result = {{kube::AttemptResult::kUnschedulable, {7, 1}}};
  results.e2e = {7, 1};
  EXPECT_THAT(why(played.investigation), HasSubstr("all 7 attempts of the window failed"));
  results.by_result = {};
  results.e2e = {};
  EXPECT_THAT(why(played.investigation), HasSubstr("no attempt ended in the window"));
}

TEST(PredictChangeTest, TooManyPodsAreRefused) {
  const test::Played played = test::Play("healthy");
  EXPECT_THROW(PredictChange(played.investigation, {ParseChange("rate=10000")}, 1), Error);
}

TEST(PredictedIntervalTest, HoldsEveryRunAndTheChanceOfSoMany) {
  EXPECT_FALSE(PredictedInterval({}, 0.5).value);
  EXPECT_FALSE(PredictedInterval({{}, {}}, 0.5).value);
  const Measured p = PredictedInterval({{1, 2, 3}, {2, 3, 4}, {}}, 0.5);
  EXPECT_EQ(*p.value, 3);
  EXPECT_LT(*p.low, 2);
  EXPECT_GT(*p.high, 3);
}

}  // namespace
}  // namespace schedlens
