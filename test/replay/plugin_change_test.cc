#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "messages/written.h"
#include "replay/change.h"
#include "replay/played.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using sim::Cost;
using testing::Contains;
using testing::HasSubstr;

Changed AfterPlugin(const test::Played& played, const std::vector<Change>& changes) {
  const Changed changed =
      ApplyAll(changes, played.investigation, FitScenario(played.investigation));
  test::ExpectWrittenInEveryLanguage(changed.assumptions);
  return changed;
}
Changed AfterPlugin(const test::Played& played, const std::string& change) {
  return AfterPlugin(played, std::vector<Change>{ParseChange(change)});
}

double MeanOf(const Fitted& fitted, Cost cost) {
  return fitted.scenario.segments.back().conditions.costs[cost].wall.Mean();
}

TEST(ApplyToPluginTest, ScalesItsShareOfThePoint) {
  const test::Played played = test::Play("algorithm.prescore");
  const Fitted before = FitScenario(played.investigation);
  const Changed without = AfterPlugin(played, "PreScore/InterPodAffinity=removed");
  EXPECT_LT(MeanOf(without.likely, Cost::kPreScore), 0.1 * MeanOf(before, Cost::kPreScore));
  EXPECT_EQ(MeanOf(without.likely, Cost::kPreFilter), MeanOf(before, Cost::kPreFilter));
  const Changed twice = AfterPlugin(played, "InterPodAffinity*=2");
  EXPECT_GT(MeanOf(twice.likely, Cost::kPreScore), 1.8 * MeanOf(before, Cost::kPreScore));
  EXPECT_GT(MeanOf(twice.likely, Cost::kPreFilter), MeanOf(before, Cost::kPreFilter));
  try {
    AfterPlugin(played, "Score/InterPodAfinity*=2");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean Score/InterPodAffinity?"));
  }
}

TEST(ApplyToPluginTest, ADeclaredTimeTakesThePlaceOfTheMeasuredOne) {
  const test::Played played = test::Play("algorithm.prescore");
  const Changed changed = AfterPlugin(played, "PreScore/InterPodAffinity=5ms");
  const Fitted without = AfterPlugin(played, "PreScore/InterPodAffinity=removed").likely;
  EXPECT_EQ(MeanOf(changed.likely, Cost::kPreScore), MeanOf(without, Cost::kPreScore));
  EXPECT_NEAR(MeanOf(changed.likely, Cost::kAssume), 0.005, 1e-9);
  EXPECT_THROW(AfterPlugin(played, "Sort/InterPodAffinity=5ms"), Error);
}

Change Coscheduling() {
  Change file = ParseChange("config=gang.yaml");
  file.text = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: false
profiles:
- schedulerName: default-scheduler
  plugins:
    queueSort:
      enabled:
      - name: Coscheduling
      disabled:
      - name: "*"
    preFilter:
      enabled:
      - name: Coscheduling
    filter:
      enabled:
      - name: NodeResourceTopologyMatch
    permit:
      enabled:
      - name: Coscheduling
    reserve:
      enabled:
      - name: Coscheduling
  pluginConfig:
  - name: Coscheduling
    args:
      permitWaitingTimeSeconds: 10
  - name: NodeResourceTopologyMatch
    args:
      scoringStrategy:
        type: LeastAllocated
)";
  return file;
}

TEST(AddUnmeasuredTest, AConfigurationOfOthersPluginsTakesADefault) {
  const test::Played played = test::Play("healthy");
  const Changed changed = AfterPlugin(played, {Coscheduling()});
  // Two calls of Coscheduling; of 50 nodes each is looked at by two at once.
  EXPECT_NEAR(MeanOf(changed.likely, Cost::kAssume), 2 * 5e-6 + 25e-6, 1e-9);
  EXPECT_NEAR(MeanOf(changed.extreme, Cost::kAssume), 10 * 35e-6, 1e-9);
  EXPECT_TRUE(changed.differ);
  EXPECT_THAT(InEnglish(changed.assumptions),
              Contains(HasSubstr("Coscheduling is not in-tree and was not measured")));
  EXPECT_THAT(InEnglish(changed.assumptions),
              Contains(HasSubstr("NodeResourceTopologyMatch is not in-tree")));
}

TEST(AddUnmeasuredTest, WhatWasDeclaredHoldsBeforeTheFileAndAfterIt) {
  const test::Played played = test::Play("healthy");
  const Change time = ParseChange("Filter/NodeResourceTopologyMatch=2ms");
  for (const auto& changes :
       {std::vector{time, Coscheduling()}, std::vector{Coscheduling(), time}}) {
    const Changed changed = AfterPlugin(played, changes);
    EXPECT_NEAR(MeanOf(changed.likely, Cost::kAssume), 2 * 5e-6 + 2e-3, 1e-9);
    EXPECT_NEAR(MeanOf(changed.extreme, Cost::kAssume), 10 * 2 * 5e-6 + 2e-3, 1e-9);
  }
}

TEST(AddUnmeasuredTest, AMisspeltPluginIsNamed) {
  Change file = Coscheduling();
  const std::string name = "NodeResourceTopologyMatch";
  for (std::size_t at; (at = file.text.find(name)) != std::string::npos;) {
    file.text.replace(at, name.size(), "NodeAfinity");
  }
  EXPECT_THAT(InEnglish(AfterPlugin(test::Play("healthy"), {file}).assumptions),
              Contains(HasSubstr("did you mean NodeAffinity?")));
}

}  // namespace
}  // namespace schedlens
