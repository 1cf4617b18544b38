#include "report/stage_tree.h"

#include <gtest/gtest.h>

#include "contract/report.h"
#include "report/samples.h"

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

TEST(IdleStages, WithoutTimeIsNotTheSameAsNotMeasured) {
  Diagnosis d;
  auto& stages = d.stages;
  stages.resize(4);
  stages[0].id = "algorithm";
  stages[0].seconds.value = 0;
  stages[1].id = "bind";
  stages[2].id = "unmeasured";
  stages[3].id = "reserve";
  stages[3].seconds.value = 1;
  const IdleStages idle = IdleStagesOf(d);
  EXPECT_EQ(idle.without_time, std::vector<std::string>{"algorithm"});
  EXPECT_EQ(idle.not_measured, std::vector<std::string>{"bind"});
}

}  // namespace
}  // namespace schedlens
