#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "messages/written.h"
#include "replay/change.h"
#include "replay/played.h"
#include "replay/what_if.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::Contains;
using testing::HasSubstr;

Change File(const std::string& body) {
  Change change = ParseChange("config=new.yaml");
  change.text =
      "apiVersion: kubescheduler.config.k8s.io/v1beta1\n"
      "kind: KubeSchedulerConfiguration\n" +
      body;
  return change;
}

Changed After(const test::Played& played, const std::string& body) {
  const Fitted fitted = FitScenario(played.investigation);
  Changed changed{fitted, fitted, false, {}};
  ApplyConfiguration(File(body), played.investigation, &changed);
  test::ExpectWrittenInEveryLanguage(changed.assumptions);
  return changed;
}

TEST(ApplyConfigurationTest, WithoutTheExtenderTheTailIsQuiet) {
  const test::Played played = test::Play("bind.extender");
  const Prediction p = PredictChange(played.investigation, {File("")}, 2);
  EXPECT_GT(*p.e2e.at(2).before.low, 2);
  EXPECT_LT(*p.e2e.at(2).after.high, 0.2);
  EXPECT_THAT(InEnglish(p.assumptions), Contains(HasSubstr("extenders: none binds")));
}

TEST(ApplyConfigurationTest, AnExtenderThatStaysIsAsSlowAsMeasured) {
  const test::Played played = test::Play("bind.extender");
  const Changed changed = After(played, "extenders:\n- urlPrefix: http://a\n  bindVerb: bind\n");
  EXPECT_TRUE(changed.likely.scenario.extenders.at(0).bind);
  EXPECT_THAT(InEnglish(changed.assumptions), Contains(HasSubstr("as slowly as measured")));
}

TEST(ApplyConfigurationTest, AnExtenderThatIsNewWasNotMeasured) {
  const test::Played played = test::Play("healthy");
  const Changed changed =
      After(played, "extenders:\n- urlPrefix: http://a\n  filterVerb: filter\n");
  EXPECT_THAT(InEnglish(changed.assumptions), Contains(HasSubstr("not in the prediction")));
}

TEST(ApplyConfigurationTest, TheClientsLimitIsTheFiles) {
  const Changed changed = After(test::Play("healthy"), "clientConnection:\n  qps: 7\n  burst: 9\n");
  EXPECT_EQ(changed.likely.scenario.qps, 7);
  EXPECT_EQ(changed.likely.scenario.client_burst, 9);
}

TEST(ApplyConfigurationTest, FewNodesMakeThePercentageNoChange) {
  const Changed changed = After(test::Play("healthy"), "percentageOfNodesToScore: 30\n");
  EXPECT_FALSE(changed.differ);
  EXPECT_THAT(InEnglish(changed.assumptions),
              Contains(HasSubstr("percentageOfNodesToScore 30 cannot change it")));
}

TEST(ApplyConfigurationTest, FewerWorkersMayMakeTheNodeLoopsSlower) {
  const Changed changed = After(test::Play("healthy"), "parallelism: 4\n");
  const auto filter = [](const Fitted& of) {
    return of.scenario.segments.back().conditions.costs[sim::Cost::kFilter].wall.Mean();
  };
  EXPECT_GT(filter(changed.extreme), 2 * filter(changed.likely));
  EXPECT_LT(filter(changed.extreme), 4 * filter(changed.likely));
  EXPECT_FALSE(After(test::Play("healthy"), "parallelism: 32\n").differ);
}

TEST(ApplyConfigurationTest, ADisabledPluginTakesItsShareAlong) {
  const test::Played played = test::Play("algorithm.cpu-starved");
  const Changed changed = After(played,
                                "profiles:\n- plugins:\n    preScore:\n      disabled:\n"
                                "      - name: InterPodAffinity\n");
  const auto prescore = [](const Fitted& of) {
    return of.scenario.segments.back().conditions.costs[sim::Cost::kPreScore].wall.Mean();
  };
  EXPECT_LT(prescore(changed.likely), 0.2 * prescore(changed.extreme));
  EXPECT_THAT(InEnglish(changed.assumptions),
              Contains(HasSubstr("PreScore without InterPodAffinity")));
}

TEST(ApplyConfigurationTest, WhatCannotChangeItIsSaid) {
  const Changed changed = After(test::Play("healthy"), "podInitialBackoffSeconds: 3\n");
  EXPECT_THAT(InEnglish(changed.assumptions),
              Contains(HasSubstr("What cannot change it: back-off")));
}

TEST(ApplyConfigurationTest, AnotherFileIsRefusedByName) {
  const test::Played played = test::Play("healthy");
  Change change = File("");
  change.text = "kind: Pod\n";
  Changed changed;
  try {
    ApplyConfiguration(change, played.investigation, &changed);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("new.yaml"));
  }
}

}  // namespace
}  // namespace schedlens
