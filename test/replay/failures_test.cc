#include <gtest/gtest.h>

#include "replay/fit.h"
#include "replay/played.h"
#include "replay/readings.h"

namespace schedlens {
namespace {

double Failing(const Fitted& fitted) {
  double attempts = 0;
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    if (arrivals.failing) attempts += arrivals.count;
  }
  return attempts;
}

TEST(AddFailuresTest, WhereNothingFailedNothingIsAdded) {
  const Fitted fitted = FitScenario(test::Play("healthy").investigation);
  EXPECT_EQ(Failing(fitted), 0);
  EXPECT_EQ(fitted.failures.waiting_share, 0);
}

TEST(AddFailuresTest, PodsThatFitNowhereTakeTheLoopsTime) {
  const test::Played played = test::Play("attempts.unschedulable");
  const Fitted fitted = FitScenario(played.investigation);
  const TimeBreakdown& now = played.investigation.evidence->now.breakdown;
  const double failed = now.by_result.Get(kube::AttemptResult::kUnschedulable).count;
  EXPECT_NEAR(Failing(fitted), failed, 0.02 * failed);
  const Runs runs = PlayRuns(fitted, 1, 1);
  EXPECT_NEAR(static_cast<double>(runs.all[0].size() - runs.e2e[0].size()), failed, 0.05 * failed);
}

// Hundreds wait when the window ends: what came, not what was tried, is what fits nowhere.
TEST(AddFailuresTest, OfAGrowingQueueAsManyFitNowhereAsOfThoseThatWereTried) {
  sim::Scenario scenario = sim::LoadScenario("queue.backlog");
  const test::Played played = test::PlayScenario(scenario, 3);
  const Fitted fitted = FitScenario(played.investigation);
  double failing = 0, others = 0;
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    if (arrivals.start < fitted.scenario.incident_start) continue;
    (arrivals.failing ? failing : others) += arrivals.count;
  }
  EXPECT_GT(failing / (failing + others), 0.06);
  EXPECT_LT(failing / (failing + others), 0.25) << "a tenth, and attempts again";
}

TEST(AddFailuresTest, ErrorsAreTriedAgain) {
  const test::Played played = test::Play("attempts.error");
  const Fitted fitted = FitScenario(played.investigation);
  const sim::Costs& costs = fitted.scenario.segments.back().conditions.costs;
  EXPECT_GT(costs.bind_error + costs.filter_error, 0.02);
  // Half of the failures or the double would miss what the pods' own histogram proves.
  const Runs runs = PlayRuns(fitted, 1, 2);
  EXPECT_FALSE(
      WorstMiss(ProveWindow(played.investigation, fitted, {0.5, 0.9, 0.99}).pod, runs.pod));
}

// Who preempts goes first; who only fits nowhere comes out of the back-off queue, a second's
// together.
TEST(AddFailuresTest, WhoPreemptsGoesFirst) {
  for (const char* name : {"preemption", "attempts.unschedulable"}) {
    const bool preempts = std::string(name) == "preemption";
    const Fitted fitted = FitScenario(test::Play(name).investigation);
    bool any = false;
    for (const CountedArrivals& arrivals : fitted.arrivals) {
      if (!arrivals.failing) continue;
      const sim::PodTemplate& pod = fitted.scenario.templates[*arrivals.failing];
      EXPECT_EQ(pod.priority, preempts ? 1 : 0) << name;
      EXPECT_EQ(arrivals.flushed, !preempts && pod.condition_set) << name;
      any = any || arrivals.flushed == !preempts;
    }
    EXPECT_TRUE(any) << name;
  }
}

}  // namespace
}  // namespace schedlens
