// Stages, and the words of the labels.

#include "kube/stage.h"

#include <gtest/gtest.h>

namespace schedlens::kube {
namespace {

TEST(StageTable, RowsStandInTheOrderOfTheEnumAndParentsBeforeChildren) {
  for (std::size_t i = 0; i < kStageTable.size(); ++i) {
    const StageRow& row = kStageTable[i];
    EXPECT_EQ(IndexOf(row.stage), i) << row.id;
    EXPECT_TRUE(!row.parent || IndexOf(*row.parent) < i) << row.id;
  }
}

TEST(Stage, IsFoundByItsIdAndItsExtensionPoint) {
  EXPECT_EQ(ToString(Stage::kBindUnmeasured), "bind.unmeasured");
  EXPECT_EQ(Parse<Stage>("permit-wait"), Stage::kPermitWait);
  EXPECT_FALSE(Parse<Stage>("bind.nothing"));
  EXPECT_EQ(RowOf(Stage::kBindThrottle).parent, Stage::kBindPlugins);
  EXPECT_EQ(StageOf(ExtensionPoint::kBind), Stage::kBindPlugins);
  EXPECT_FALSE(StageOf(ExtensionPoint::kPostBind));
}

TEST(Stage, RunsInTheLoopUpToPermitAndBesideItFromThereOn) {
  for (const Stage stage :
       {Stage::kAlgorithm, Stage::kPreFilter, Stage::kFilter, Stage::kPreScore, Stage::kScore,
        Stage::kAlgorithmUnmeasured, Stage::kPostFilter, Stage::kReserve, Stage::kPermit}) {
    EXPECT_TRUE(RunsInLoop(stage)) << ToString(stage);
  }
  for (const Stage stage :
       {Stage::kPermitWait, Stage::kPreBind, Stage::kBind, Stage::kBindPlugins,
        Stage::kBindThrottle, Stage::kBindRequest, Stage::kBindUnmeasured, Stage::kUnmeasured}) {
    EXPECT_FALSE(RunsInLoop(stage)) << ToString(stage);
  }
}

template <typename Enum>
void ExpectRoundTrip() {
  for (const Enum value : All<Enum>()) EXPECT_EQ(Parse<Enum>(ToString(value)), value);
}

TEST(Spellings, ComeBackAsTheSameValue) {
  ExpectRoundTrip<Stage>();
  ExpectRoundTrip<ExtensionPoint>();
  ExpectRoundTrip<AttemptResult>();
  ExpectRoundTrip<QueueName>();
  ExpectRoundTrip<PodEvent>();
}

TEST(Spellings, OfQueueingEventsChangeInARelease) {
  EXPECT_EQ(SpellingIn(PodEvent::kPodAdd, 31), "PodAdd");
  EXPECT_EQ(SpellingIn(PodEvent::kPodAdd, 32), "UnschedulablePodAdd");
  EXPECT_EQ(SpellingIn(PodEvent::kClaimAdd, 32), "PersistentVolumeClaimAdd");
  EXPECT_EQ(SpellingIn(PodEvent::kBackoffComplete, 34), "BackoffComplete");
}

TEST(EnumMap, StartsEmptyAndHoldsAValueForEachKey) {
  EnumMap<QueueName, int> pods;
  EXPECT_EQ(pods[QueueName::kGated], 0);
  pods[QueueName::kActive] = 3;
  EXPECT_EQ(pods[QueueName::kActive], 3);
  EXPECT_NE(pods, (EnumMap<QueueName, int>{}));
}

}  // namespace
}  // namespace schedlens::kube
