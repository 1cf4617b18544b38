#include <gtest/gtest.h>

#include <cmath>

#include "replay/readings.h"

namespace schedlens {
namespace {

Diagnosis WithAlert(const std::string& metric, double q, std::optional<double> threshold) {
  Diagnosis diagnosis;
  diagnosis.alert.emplace();
  diagnosis.alert->metric = metric;
  diagnosis.alert->quantile = q;
  diagnosis.alert->threshold = threshold;
  return diagnosis;
}

TEST(ThresholdOfAlertTest, TellsWhatTheAlertIsOf) {
  const struct {
    const char* metric;
    ReplayedSeconds of;
  } rows[] = {
      {"scheduler_e2e_scheduling_duration_seconds", ReplayedSeconds::kE2e},
      {"scheduler_scheduling_attempt_duration_seconds", ReplayedSeconds::kAll},
      {"scheduler_pod_scheduling_duration_seconds", ReplayedSeconds::kPod},
      {"scheduler_pod_scheduling_sli_duration_seconds", ReplayedSeconds::kPod},
      {"scheduler_pod_scheduling_attempts", ReplayedSeconds::kOther},
      {"scheduler_binding_duration_seconds", ReplayedSeconds::kOther},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ThresholdOfAlert(WithAlert(row.metric, 0.99, 1))->population, row.of) << row.metric;
  }
  Diagnosis scheduled = WithAlert("scheduler_scheduling_attempt_duration_seconds", 0.99, 1);
  scheduled.alert->population = {{"result", "scheduled"}};
  EXPECT_EQ(ThresholdOfAlert(scheduled)->population, ReplayedSeconds::kE2e);
  EXPECT_FALSE(ThresholdOfAlert(Diagnosis()));
  EXPECT_FALSE(ThresholdOfAlert(WithAlert("m", 0.99, std::nullopt)));
  EXPECT_FALSE(ThresholdOfAlert(WithAlert("m", NAN, 1)));
}

TEST(ShownQuantileTest, IsTheServersInTheBucketsOfThatHistogram) {
  const std::vector<double> slow(100, 300.0);
  EXPECT_EQ(ShownQuantile(slow, 0.99, ReplayedSeconds::kE2e), 16.384) << "its top bound";
  EXPECT_GT(ShownQuantile(slow, 0.99, ReplayedSeconds::kPod), 163.84);
  EXPECT_NEAR(ShownQuantile({0.003, 0.003}, 0.5, ReplayedSeconds::kE2e), 0.003, 1e-12);
}

TEST(FiresTest, NeedsEveryRunOnOneSide) {
  const ThresholdOf over{ReplayedSeconds::kPod, "m", 0.99, 5};
  Runs runs;
  runs.pod = {{300, 300}, {200, 200}};
  EXPECT_EQ(Fires(over, {runs}), true);
  runs.pod = {{1, 1}, {2, 2}};
  EXPECT_EQ(Fires(over, {runs}), false);
  runs.pod = {{1, 1}, {300, 300}};
  EXPECT_EQ(Fires(over, {runs}), std::nullopt);
  runs.pod = {{300, 300}, {}};
  EXPECT_EQ(Fires(over, {runs}), std::nullopt);
}

}  // namespace
}  // namespace schedlens
