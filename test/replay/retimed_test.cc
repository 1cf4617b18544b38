#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "replay/cross_check.h"
#include "replay/played.h"

namespace schedlens {
namespace {

sim::SimulationResult PlayFitted(const Fitted& fitted, std::uint64_t seed) {
  sim::RunOptions options;
  options.seed = seed;
  options.scrape = options.metrics = false;
  return sim::RunScenario(fitted.Played(seed), options);
}

/// The largest gap between two distributions, both ascending, at powers of the square root of two.
double GapOf(const std::vector<double>& a, const std::vector<double>& b) {
  const auto below = [](const std::vector<double>& seconds, double bound) {
    const auto end = std::upper_bound(seconds.begin(), seconds.end(), bound);
    return static_cast<double>(end - seconds.begin()) / static_cast<double>(seconds.size());
  };
  double gap = 0;
  for (double bound = 0.001; bound < 100; bound *= std::sqrt(2)) {
    gap = std::max(gap, std::abs(below(a, bound) - below(b, bound)));
  }
  return gap;
}

test::Played Throttled(int minor) {
  sim::Scenario scenario = sim::LoadScenario("bind.client-throttling");
  scenario.release.minor = minor;
  return test::PlayScenario(std::move(scenario), 3);
}

// Binds that each wait for the limit, and those that a dispatcher sends.
TEST(RetimerTest, TellsWhatTheSchedulerTakesUnderTheSameAndUnderAnotherLimit) {
  for (const int minor : {30, 34}) {
    const test::Played played = Throttled(minor);
    const Fitted fitted = FitScenario(played.investigation);
    ASSERT_TRUE(fitted.limited);
    Retimer retimer(fitted, PlayFitted(fitted, 1));
    for (const double factor : {1.0, 0.9, 1.05}) {
      Fitted reading = fitted;
      reading.scenario.qps *= factor;
      const auto truth = ScheduledSeconds(reading.scenario, PlayFitted(reading, 2));
      const auto retimed = retimer.Attempts(reading);
      EXPECT_TRUE(std::is_sorted(retimed.begin(), retimed.end()));
      EXPECT_NEAR(retimed.size() / static_cast<double>(truth.size()), 1, 0.02) << factor;
      EXPECT_LT(GapOf(truth, retimed), 0.1) << minor << ", limit times " << factor;
    }
  }
}

TEST(RetimerTest, TheStartTellsTheWhole) {
  const test::Played played = Throttled(30);
  const Fitted whole = FitScenario(played.investigation);
  const Fitted part = StartOf(whole, 2000);
  ASSERT_LT(part.scenario.incident_end, whole.scenario.incident_end);
  Retimer retimer(whole, PlayFitted(part, 1));
  const auto truth = ScheduledSeconds(whole.scenario, PlayFitted(whole, 2));
  EXPECT_LT(GapOf(truth, retimer.Attempts(whole)), 0.1);
  EXPECT_GT(GapOf(truth, retimer.Attempts(part)), 0.2) << "the wait grows";
}

TEST(RetimerTest, PodsWaitForTheLoopToo) {
  const test::Played played = test::Play("algorithm.prescore");
  const Fitted fitted = FitScenario(played.investigation);
  const sim::SimulationResult result = PlayFitted(fitted, 1);
  Retimer retimer(fitted, result);
  std::vector<double> pods;
  for (const sim::AttemptRecord& attempt : result.attempts) {
    const sim::Nanos end = attempt.start + attempt.e2e;
    const bool inside = end > fitted.scenario.incident_start && end <= fitted.scenario.incident_end;
    if (inside && attempt.result == sim::AttemptResult::kScheduled)
      pods.push_back(sim::ToSeconds(attempt.since_added));
  }
  std::sort(pods.begin(), pods.end());
  EXPECT_LT(GapOf(pods, retimer.Pods(fitted)), 0.1);
  EXPECT_GT(GapOf(pods, retimer.Attempts(fitted)), 0.1) << "attempts do not";
}

// A group that comes at once is in each other's way.
TEST(RetimerTest, PodsThatComeTogetherWaitForTheLimit) {
  const test::Played played = Throttled(30);
  Fitted alone = FitScenario(played.investigation);
  alone.scenario.qps *= 2;
  alone.scenario.client_burst = 1;
  Fitted together = alone;
  together.group = 40;
  Retimer retimer(alone, PlayFitted(alone, 1));
  EXPECT_LT(GapOf(ScheduledSeconds(together.scenario, PlayFitted(together, 1)),
                  retimer.Attempts(together)),
            0.1);
  EXPECT_GT(NearestRank(retimer.Attempts(together), 0.9),
            2 * NearestRank(retimer.Attempts(alone), 0.9));
}

}  // namespace
}  // namespace schedlens
