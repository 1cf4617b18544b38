#include <gtest/gtest.h>

#include "contract/report.h"
#include "report/samples.h"
#include "report/sections.h"

namespace schedlens {
namespace {

StageTime Node(const std::string& id, const std::string& parent) {
  StageTime stage;
  stage.id = id;
  stage.parent = parent;
  return stage;
}

std::string Shown(const std::vector<StageTime>& stages) {
  std::string out;
  Diagnosis d;
  d.stages = stages;
  for (const StageLine& line : StageTree(d)) {
    out += std::string(static_cast<std::size_t>(line.depth), '>') + line.label + " ";
  }
  return out;
}

TEST(StageTreeTest, ChildrenFollowTheirParentInOrder) {
  EXPECT_EQ(Shown({Node("bind", ""), Node("a", ""), Node("a.z", "a"), Node("bind.x", "bind"),
                   Node("a.b", "a"), Node("a.b/P", "a.b")}),
            "bind >.x a >.z >.b >>/P ");
}

TEST(StageTreeTest, NothingIsDropped) {
  EXPECT_EQ(Shown({Node("a", "missing"), Node("z", "")}), "a z ");
  const Diagnosis hostile = HostileNames();
  EXPECT_EQ(StageTree(hostile).size(), hostile.stages.size());
}

// The same in every format: what the finding is about is found in the tree.
TEST(StageTreeTest, ARemainderCarriesTheNameOfTheFindingThatIsIts) {
  Diagnosis d = ExtenderIncident();
  for (const std::string& text :
       {RenderText(d, {.full = true}), RenderMarkdown(d, {}), RenderHtml(d, {})}) {
    EXPECT_EQ(text.find("bind.unmeasured"), std::string::npos);
    EXPECT_NE(text.find("algorithm"), std::string::npos);
  }
  const auto bind = [&] {
    for (const StageLine& line : StageTree(d)) {
      if (line.stage->id == "bind.unmeasured") return line.name + " " + line.label;
    }
    return std::string();
  };
  EXPECT_EQ(bind(), "bind.extender .extender");
  d.findings.front().confidence = Confidence::kPossible;
  EXPECT_EQ(bind(), "bind.unmeasured .unmeasured");
  d.findings.clear();
  EXPECT_EQ(bind(), "bind.unmeasured .unmeasured");
}

TEST(StageTreeTest, IdleMeansNoTimeNowAndBefore) {
  StageTime stage = Node("a", "");
  EXPECT_TRUE(IsIdle(stage));
  stage.baseline_seconds = 1;
  EXPECT_FALSE(IsIdle(stage));
  stage.baseline_seconds = 0;
  stage.seconds.value = 0.1;
  EXPECT_FALSE(IsIdle(stage));
}

TEST(StageTreeTest, WithoutTimeIsNotTheSameAsNotMeasured) {
  Diagnosis d = ExtenderIncident();
  d.stages.assign(4, {});
  d.stages[0].id = "algorithm";
  d.stages[0].seconds.value = 0;
  d.stages[1].id = "bind";
  d.stages[2].id = "unmeasured";
  d.stages[3].id = "reserve";
  d.stages[3].seconds.value = 1;
  const Messages t{"en"};
  const std::string text = RenderText(d, {.width = 200, .full = true});
  EXPECT_NE(text.find(t("tree.no_time", "algorithm")), std::string::npos) << text;
  EXPECT_NE(text.find(t("tree.not_measured", "bind")), std::string::npos) << text;
}

TEST(StagesPerPodTest, TakesApartWhatTakesMostAndNamesItsCause) {
  const Diagnosis d = ExtenderIncident();
  const auto stages = StagesPerPod(d, 6);
  ASSERT_EQ(stages.size(), 4u);
  EXPECT_EQ(stages[0].id, "algorithm");
  EXPECT_EQ(stages[1].id, "bind.plugins");
  EXPECT_EQ(stages[2].id, "bind.extender");
  EXPECT_EQ(stages[3].id, "unmeasured");
  // 2,280 s over 1,200 scheduled pods; the baseline's for as many pods is what the excess leaves.
  EXPECT_NEAR(stages[2].now, 1.9, 1e-3);
  EXPECT_NEAR(*stages[2].before, 0.00033, 1e-5);
  EXPECT_TRUE(HasGrown(stages[2]));
  EXPECT_FALSE(HasGrown(stages[1]));
}

TEST(StagesPerPodTest, WhatIsSmallestGoesFirst) {
  const auto stages = StagesPerPod(ExtenderIncident(), 1);
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(stages[0].id, "bind.extender");
}

TEST(StagesPerPodTest, NothingWithoutAScheduledPodAndNothingBeforeWithoutABaseline) {
  Diagnosis d = ExtenderIncident();
  for (StageTime& stage : d.stages) {
    stage.baseline_seconds.reset();
    stage.excess.reset();
  }
  for (const StagePerPod& stage : StagesPerPod(d, 6)) {
    EXPECT_FALSE(stage.before);
    EXPECT_FALSE(HasGrown(stage));
  }
  d.results.clear();
  EXPECT_TRUE(StagesPerPod(d, 6).empty());
}

TEST(StagesPerPodTest, MillisecondsHaveThreeDigits) {
  EXPECT_EQ(Milliseconds(0), "0");
  EXPECT_EQ(Milliseconds(0.000334), "0.33");
  EXPECT_EQ(Milliseconds(0.0417), "41.7");
  EXPECT_EQ(Milliseconds(0.142), "142");
  EXPECT_EQ(Milliseconds(1.8996), "1,900");
  EXPECT_EQ(Milliseconds(-0.0111), "-11.1");
}

}  // namespace
}  // namespace schedlens
