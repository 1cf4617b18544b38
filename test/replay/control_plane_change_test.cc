#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/exposition.h"
#include "kube/words.h"
#include "messages/catalog.h"
#include "messages/written.h"
#include "replay/change.h"
#include "replay/played.h"
#include "replay/what_if.h"
#include "schedlens/error.h"
#include "scheduler/base/random.h"
#include "source/capture/capture_source.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::Distribution;
using testing::Contains;
using testing::HasSubstr;

double Quantile(const Distribution& distribution, double q) {
  sim::Random random(7);
  std::vector<double> draws(5000);
  for (double& draw : draws) draw = distribution.Sample(random);
  std::sort(draws.begin(), draws.end());
  return NearestRank(draws, q);
}

TEST(WithoutTest, TakesThePartFromTheMean) {
  const Distribution quiet = Distribution::LogNormal(0.01, 0.4);
  const Distribution slow =
      Distribution::Mixture({{0.9, quiet}, {0.1, Distribution::Uniform(1, 3)}});
  for (const bool evenly : {true, false}) {
    for (const double part : {0.0, 0.3, 0.7, 0.99, 1.0}) {
      const double least = quiet.Mean() * 0.5;
      EXPECT_NEAR(Without(slow, quiet, {part, 0.5}, evenly).Mean(),
                  std::max(least, slow.Mean() * (1 - part)), 0.02 * slow.Mean())
          << part << evenly;
      EXPECT_NEAR(Without(quiet, quiet, {part, part}, evenly).Mean(), quiet.Mean() * (1 - part),
                  1e-4);
    }
  }
}

// 10 % of the calls take seconds. Half of that gone may be half of each, or half of the calls.
TEST(WithoutTest, TheFormThatIsLeftIsOneOrTheOther) {
  const Distribution quiet = Distribution::Constant(0.01);
  const Distribution slow = Distribution::Mixture({{0.9, quiet}, {0.1, Distribution::Constant(2)}});
  const double half = 0.5 * (slow.Mean() - quiet.Mean()) / slow.Mean();
  EXPECT_NEAR(Quantile(Without(slow, quiet, {half, 0}, true), 0.99), 1, 0.05);
  EXPECT_NEAR(Quantile(Without(slow, quiet, {half, 0}, false), 0.99), 2, 0.05);
  EXPECT_NEAR(Quantile(Without(slow, quiet, {half, 0}, false), 0.94), 0.01, 1e-3);
}

Changed ChangedAfter(const test::Played& played, const std::string& change) {
  const Changed changed =
      ApplyAll({ParseChange(change)}, played.investigation, FitScenario(played.investigation));
  test::ExpectWrittenInEveryLanguage(changed.assumptions);
  return changed;
}

double BindMean(const Fitted& fitted) {
  return fitted.scenario.segments.back().conditions.costs[Cost::kBindApi].wall.Mean();
}

TEST(RemoveWebhookTest, TakesWhatIsBoundedAndNoMore) {
  const test::Played played = test::Play("apiserver.webhook");
  const Changed changed = ChangedAfter(played, "webhook.quota.policy.example=removed");
  const double now = BindMean(FitScenario(played.investigation));
  EXPECT_LT(BindMean(changed.likely), now);
  EXPECT_LE(BindMean(changed.likely), BindMean(changed.extreme) + 1e-9);
  const auto least = CheapestOf({ParseChange("webhook.quota.policy.example=removed")},
                                played.investigation, FitScenario(played.investigation), changed);
  ASSERT_TRUE(least);
  EXPECT_LE(BindMean(*least), BindMean(changed.likely) + 1e-3 * now);
  EXPECT_THAT(InEnglish(changed.assumptions), Contains(HasSubstr("quota.policy.example takes")));
}

// Every attempt has an interval of buckets that holds it: without the webhook the p99 is one that
// the quiet period's may have been.
TEST(RemoveWebhookTest, TheRecordingWithoutItIsAsItWasBefore) {
  const std::string file =
      SCHEDLENS_SOURCE_DIR "/examples/incidents/webhook-on-binding/metrics.om.gz";
  const auto source = NewLocalSource(ReadExposition(file, std::nullopt).series, {});
  DiagnoseRequest request;
  request.now = source->Describe().extent->end;
  const Investigation found = Investigate(*source, QuerySet::Embedded(), request);
  ASSERT_TRUE(found.evidence && found.evidence->baseline);
  std::vector<ScrapeIncreases> quiet = found.evidence->baseline->cells.attempt;
  std::erase_if(quiet, [](const ScrapeIncreases& c) { return !kube::IsScheduled(c.labels); });
  const Interval before = ProveQuantile(quiet, 0.99).proof.interval;
  const Prediction p =
      PredictChange(found, {ParseChange("webhook.quota.policy.example=removed")}, 3);
  ASSERT_FALSE(p.undecidable);
  const PredictedChange& p99 = p.e2e.at(2);
  EXPECT_GT(*p99.before.low, 2);
  EXPECT_LT(*p99.after.low, *before.high);
  EXPECT_GT(*p99.after.high, *before.low);
  EXPECT_LT(*p99.after.high, 0.25);
}

std::string Refusal(const Investigation& investigation, const std::string& change) {
  try {
    ApplyAll({ParseChange(change)}, investigation, FitScenario(investigation));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInsufficientData);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "no error";
}

TEST(RemoveWebhookTest, WithoutTheControlPlaneItSaysWhatIsMissing) {
  test::Played played = test::Play("apiserver.webhook");
  EXPECT_THAT(Refusal(played.investigation, "webhook.qota.policy.example=removed"),
              HasSubstr("did you mean quota.policy.example?"));
  ControlPlaneFacts& facts = played.investigation.control_plane;
  const ControlPlaneFacts all = facts;
  facts.answers.erase("admission");
  EXPECT_THAT(Refusal(played.investigation, "webhook.quota.policy.example=removed"),
              HasSubstr("no webhook was measured"));
  facts = all;
  std::erase_if(facts.answers["bindings"], [](const Series& series) {
    return series.labels.Get("__name__").find("_sl") != std::string::npos;
  });
  EXPECT_THAT(Refusal(played.investigation, "webhook.quota.policy.example=removed"),
              HasSubstr("apiserver_request_sli_duration_seconds"));
  facts.answers.clear();
  for (const char* change : {"webhook.quota.policy.example=removed", "etcd.fsync=baseline"}) {
    EXPECT_THAT(Refusal(played.investigation, change), HasSubstr("schedlens doctor"));
  }
}

TEST(RestoreStorageTest, TakesItsGrowthAway) {
  test::Played played = test::Play("etcd.disk");
  const Changed changed = ChangedAfter(played, "fsync=baseline");
  const double now = BindMean(FitScenario(played.investigation));
  EXPECT_LT(BindMean(changed.likely), 0.6 * now);
  EXPECT_GE(BindMean(changed.extreme), BindMean(changed.likely));
  // Nearly all that grew is storage's: the quiet period's call, and at most a little more of each.
  const double quiet =
      changed.likely.scenario.segments.front().conditions.costs[Cost::kBindApi].wall.Mean();
  EXPECT_NEAR(BindMean(changed.likely), quiet, 0.05 * quiet);
  played.investigation.control_plane.answers.erase("etcd_requests");
  EXPECT_THAT(Refusal(played.investigation, "fsync=baseline"),
              HasSubstr("etcd_request_duration_seconds"));
}

TEST(RestorePartTest, TakesTheGrowthOfThatPartAlone) {
  const test::Played played = test::Play("apiserver.flowcontrol");
  const Fitted fitted = FitScenario(played.investigation);
  const double now = BindMean(fitted);
  const double quiet =
      fitted.scenario.segments.front().conditions.costs[Cost::kBindApi].wall.Mean();
  ASSERT_GT(now, 2 * quiet);
  for (const char* change : {"apiserver.flowcontrol=baseline", "apiserver=baseline"}) {
    const Changed changed = ChangedAfter(played, change);
    EXPECT_LT(BindMean(changed.likely), quiet + 0.2 * (now - quiet)) << change;
    EXPECT_GE(BindMean(changed.extreme), BindMean(changed.likely) - 1e-9) << change;
  }
  for (const char* change : {"bind.network=baseline", "apiserver.storage=baseline"}) {
    EXPECT_GT(BindMean(ChangedAfter(played, change).likely), quiet + 0.8 * (now - quiet)) << change;
  }
}

TEST(RestorePartTest, WithoutItsMetricItSaysSo) {
  test::Played played = test::Play("apiserver.flowcontrol");
  played.investigation.control_plane.answers.erase("flowcontrol");
  EXPECT_THAT(Refusal(played.investigation, "apiserver.flowcontrol=baseline"),
              HasSubstr("do not tell what that part"));
}

// What a report names as the cause can be taken away by that name.
TEST(RestorePartTest, EveryCauseThatIsACostHasAKey) {
  for (const char* change : {"bind.extender=removed",
                             "bind.apiserver=baseline",
                             "bind.client-throttling=removed",
                             "algorithm.extender=removed",
                             "algorithm.prefilter=removed",
                             "algorithm.filter=baseline",
                             "algorithm.prescore=baseline",
                             "algorithm.score=baseline",
                             "preemption=off",
                             "attempts.unschedulable=removed",
                             "reserve=removed",
                             "permit.wait=removed",
                             "prebind.volume=baseline",
                             "prebind=baseline",
                             "apiserver.webhook/any=removed",
                             "apiserver.flowcontrol=baseline",
                             "etcd.disk=baseline",
                             "etcd.peer=baseline",
                             "etcd.slow=baseline",
                             "apiserver.cpu=baseline",
                             "apiserver.audit=baseline",
                             "bind.network=baseline",
                             "apiserver.unknown=baseline",
                             "apiserver.instance=baseline",
                             "unschedulable.plugin=removed",
                             "load.workload=baseline",
                             "csi.driver=baseline",
                             "volume.controller=baseline",
                             "Filter/NodeAffinity=removed"}) {
    EXPECT_NO_THROW(ParseChange(change)) << change;
  }
}

TEST(FailingTest, PodsThatFindNoNodeCanBeTakenAway) {
  const test::Played played = test::Play("attempts.unschedulable");
  const auto failing = [](const Fitted& fitted) {
    double count = 0;
    for (const CountedArrivals& some : fitted.arrivals) count += some.failing ? some.count : 0;
    return count;
  };
  const double now = failing(FitScenario(played.investigation));
  ASSERT_GT(now, 0);
  EXPECT_EQ(failing(ChangedAfter(played, "attempts.unschedulable=removed").likely), 0);
  const double calm = failing(ChangedAfter(played, "unschedulable.plugin=baseline").extreme);
  EXPECT_LT(calm, 0.5 * now);
}

}  // namespace
}  // namespace schedlens
