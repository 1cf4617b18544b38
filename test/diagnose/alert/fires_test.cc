#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/alert/panel.h"
#include "diagnose/store_source.h"

namespace schedlens {
namespace {

using ::testing::SizeIs;

constexpr TimeRange kWindow = {600'000, 900'000};

/// A gauge and two counters, every 10 s for 15 minutes: 5 pods wait, from 700 s to 800 s 50 do; of
/// 20 attempts between two scrapes one fails.
testing_support::StoreSource Queue() {
  Series pending{{{"__name__", "scheduler_pending_pods"}, {"queue", "active"}}, {}, {}};
  Series all{{{"__name__", "scheduler_schedule_attempts_total"}, {"result", "scheduled"}}, {}, {}};
  Series failed = all;
  failed.labels = failed.labels.With("result", "error");
  for (TimeMs t = 0; t <= 900'000; t += 10'000) {
    pending.samples.push_back({t, t >= 700'000 && t < 800'000 ? 50.0 : 5.0});
    all.samples.push_back({t, static_cast<double>(t) / 10'000 * 19});
    failed.samples.push_back({t, static_cast<double>(t) / 10'000});
  }
  return testing_support::StoreSource({pending, all, failed});
}

AlertAnswer Ask(const std::string& expr) {
  auto source = Queue();
  return AskWhetherItFires(source, promql::ParseAlertExpression(expr), kWindow);
}

TEST(AlertFiresTest, WithItsTimesAndTheValueThatIsCompared) {
  const AlertAnswer answer = Ask("sum(scheduler_pending_pods) > 20");
  EXPECT_EQ(answer.fires.state, FiresState::kYes);
  ASSERT_THAT(answer.fires.times, SizeIs(20));
  EXPECT_EQ(answer.fires.times.front(), 700'000);
  EXPECT_EQ(answer.fires.times.back(), 795'000);
  EXPECT_EQ(answer.value, 5);
}

TEST(AlertFiresTest, TimesAreAtMostFiftyWithTheFirstAndTheLast) {
  const AlertAnswer answer = Ask("scheduler_pending_pods > 1");
  ASSERT_THAT(answer.fires.times, SizeIs(50));
  EXPECT_EQ(answer.fires.times.front(), kWindow.start);
  EXPECT_EQ(answer.fires.times.back(), kWindow.end);
}

TEST(AlertFiresTest, WhateverIsAsked) {
  struct Row {
    const char* expr;
    FiresState state;
    std::optional<double> value;
  };
  const Row rows[] = {
      {"sum(rate(scheduler_schedule_attempts_total{result=\"error\"}[5m])) / "
       "sum(rate(scheduler_schedule_attempts_total[5m])) > 0.01",
       FiresState::kYes, 0.05},
      {"1 - sum(rate(scheduler_schedule_attempts_total{result=\"scheduled\"}[5m])) / "
       "sum(rate(scheduler_schedule_attempts_total[5m])) > 0.06",
       FiresState::kNo, 0.05},
      {"20 < scheduler_pending_pods", FiresState::kYes, 5},
      {"scheduler_pending_pods < 3", FiresState::kNo, 5},
      {"scheduler_pending_pods", FiresState::kUnclear, 5},
      {"scheduler_nothing > 3", FiresState::kUnclear, {}},
      {"absent(scheduler_nothing)", FiresState::kYes, 1},
      {"absent(scheduler_pending_pods)", FiresState::kNo, {}},
      {"scheduler_pending_pods > 20 and on () scheduler_pending_pods < 1", FiresState::kNo, 5},
      {"scheduler_pending_pods > 20 and on () not_scraped == 1", FiresState::kUnclear, 5},
      {"scheduler_pending_pods > 200 and on () not_scraped == 1", FiresState::kNo, 5},
      {"max_over_time(scheduler_pending_pods[5m:10s]) > 20", FiresState::kYes, 50},
  };
  for (const Row& row : rows) {
    const AlertAnswer answer = Ask(row.expr);
    EXPECT_EQ(answer.fires.state, row.state) << row.expr;
    ASSERT_EQ(answer.value.has_value(), row.value.has_value()) << row.expr;
    EXPECT_NEAR(answer.value.value_or(0), row.value.value_or(0), 1e-9) << row.expr;
    EXPECT_EQ(answer.fires.times.empty(), row.state != FiresState::kYes) << row.expr;
  }
}

TEST(ComparesTest, ByItsSign) {
  EXPECT_TRUE(Compares(2, ">=", 2));
  EXPECT_FALSE(Compares(2, ">", 2));
  EXPECT_TRUE(Compares(1, "<", 2));
  EXPECT_TRUE(Compares(2, "<=", 2));
  EXPECT_TRUE(Compares(2, "==", 2));
  EXPECT_TRUE(Compares(1, "!=", 2));
}

}  // namespace
}  // namespace schedlens
