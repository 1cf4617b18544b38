#include <gtest/gtest.h>

#include "diagnose/tail/estimate.h"

namespace schedlens {
namespace {

using kube::Stage;

TEST(BestFitTest, TakesTheTightestThatHolds) {
  std::vector<ReconstructedAttempt> wholes = {ReconstructedAttempt(10), ReconstructedAttempt(3),
                                              ReconstructedAttempt(1)};
  EXPECT_EQ(BestFit(&wholes, kBindGroup, 2, false), &wholes[1]);
  wholes[1].has[kBindGroup] = true;
  EXPECT_EQ(BestFit(&wholes, kBindGroup, 2, false), &wholes[0]);
  EXPECT_EQ(BestFit(&wholes, kBindGroup, 20, false), nullptr);
  EXPECT_EQ(BestFit(&wholes, kBindGroup, 20, true), &wholes[0]);
}

TEST(RepairTest, MovesAnObservationToWhereItFits) {
  std::vector<ReconstructedAttempt> wholes = {ReconstructedAttempt(1), ReconstructedAttempt(5)};
  wholes[0].Give(Stage::kPreBind, 4);
  wholes[0].has[kPreBindGroup] = true;
  Repair(0.01, &wholes);
  EXPECT_EQ(wholes[0].parts[Stage::kPreBind], 0);
  EXPECT_EQ(wholes[1].parts[Stage::kPreBind], 4);
  EXPECT_TRUE(wholes[1].has[kPreBindGroup]);
  EXPECT_GE(wholes[0].free, 0);
}

TEST(WholesTest, TheRestIsWhatTheSumsLeave) {
  ReconstructedAttempts wholes;
  wholes.large = {ReconstructedAttempt(4), ReconstructedAttempt(2)};
  wholes.large[0].Give(Stage::kFilter, 1);
  wholes.large[1].Give(Stage::kFilter, 4);  // two too much: the first's drawn length was too long
  wholes.Close(Stage::kUnmeasured);
  EXPECT_DOUBLE_EQ(wholes.large[0].parts[Stage::kUnmeasured], 1);
  EXPECT_DOUBLE_EQ(wholes.large[0].seconds, 2);
  EXPECT_DOUBLE_EQ(wholes.large[1].seconds, 4);
}

TEST(WholesTest, SpreadsOverSmallOnesToo) {
  ReconstructedAttempts wholes;
  wholes.large = {ReconstructedAttempt(4)};
  wholes.small_count = 3;
  wholes.small_seconds = 1;
  wholes.Spread(Stage::kScore, 0.4);
  EXPECT_DOUBLE_EQ(wholes.large[0].parts[Stage::kScore], 0.1);
  EXPECT_DOUBLE_EQ(wholes.small[Stage::kScore], 0.3);
  wholes.Close(Stage::kUnmeasured);
  EXPECT_DOUBLE_EQ(wholes.small[Stage::kUnmeasured], 0.7);
}

}  // namespace
}  // namespace schedlens
