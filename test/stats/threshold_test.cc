#include <gtest/gtest.h>

#include "stats/cells.h"
#include "stats/links.h"
#include "stats/not_finite.h"
#include "stats/truth_model.h"

namespace schedlens {
namespace {

using testing_support::Cells;

std::vector<LinkedProcess> OneOf(ScrapeIncreases cells) { return {{{std::move(cells)}, {}}}; }

TEST(JudgeThresholdTest, AThresholdOnABoundIsAMatterOfCounting) {
  const auto processes = OneOf(Cells({1, 2, 4, kInfinity}, {{{90, 9, 1, 0}}}));
  EXPECT_EQ(JudgeThreshold(processes, 0.99, 2, ">").decided, Decided::kBelow);
  EXPECT_EQ(JudgeThreshold(processes, 0.995, 2, ">").decided, Decided::kAbove);
  EXPECT_FALSE(JudgeThreshold(processes, 0.99, 2, ">").inside_bucket);
}

TEST(JudgeThresholdTest, InsideTheBucketOfTheRankItIsUndecidable) {
  const auto verdict =
      JudgeThreshold(OneOf(Cells({1, 2, 4, kInfinity}, {{{90, 0, 10, 0}}})), 0.99, 3, ">");
  EXPECT_EQ(verdict.decided, Decided::kUndecidable);
  EXPECT_TRUE(verdict.inside_bucket);
  EXPECT_EQ(verdict.decidable_below, 2);
  EXPECT_EQ(verdict.decidable_above, 4);
}

TEST(JudgeThresholdTest, InsideAnotherBucketItIsDecided) {
  const auto processes = OneOf(Cells({1, 2, 4, kInfinity}, {{{90, 0, 10, 0}}}));
  EXPECT_EQ(JudgeThreshold(processes, 0.99, 1.5, ">").decided, Decided::kAbove);
  EXPECT_EQ(JudgeThreshold(processes, 0.5, 1.5, ">").decided, Decided::kBelow);
}

TEST(JudgeThresholdTest, SumsDecideWhatBucketsCannot) {
  const auto processes = OneOf(Cells({1, 2, 4, kInfinity}, {{{0, 0, 2, 0}, 7.9}}));
  EXPECT_EQ(JudgeThreshold(processes, 0.5, 3, ">").decided, Decided::kAbove);
}

TEST(JudgeThresholdTest, AtOrOverTheTopBoundItCanNeverFire) {
  const auto processes = OneOf(Cells({1, 2, kInfinity}, {{{0, 0, 10}, 100}}));
  const auto at_top = JudgeThreshold(processes, 0.99, 2, ">");
  EXPECT_TRUE(at_top.can_never_fire);
  EXPECT_EQ(at_top.decided, Decided::kAbove);  // the truth is above; the server cannot say so
  EXPECT_EQ(at_top.top_bound, 2);
  EXPECT_FALSE(JudgeThreshold(processes, 0.99, 2, ">=").can_never_fire);
  EXPECT_TRUE(JudgeThreshold(processes, 0.99, 2.5, ">=").can_never_fire);
  EXPECT_FALSE(JudgeThreshold(processes, 0.99, 5, "<").can_never_fire);
}

TEST(JudgeThresholdTest, TornCountsDecideNothing) {
  ScrapeIncreases cells = Cells({1, 2, kInfinity}, {{{3, 0, 1}, 5}});
  cells.torn = true;
  EXPECT_EQ(JudgeThreshold(OneOf(cells), 0.5, 2, ">").decided, Decided::kUndecidable);
}

TEST(JudgeThresholdTest, WithoutDataThereIsNoVerdict) {
  EXPECT_FALSE(JudgeThreshold({}, 0.99, 1, ">").decided);
  EXPECT_FALSE(JudgeThreshold(OneOf(Cells({1, kInfinity}, {{{0, 0}}})), 0.99, 1, ">").decided);
  EXPECT_FALSE(JudgeThreshold(OneOf(Cells({1, 2}, {{{1, 1}}})), 0.99, 1, ">").decided);
  EXPECT_FALSE(
      JudgeThreshold(OneOf(Cells({1, kInfinity}, {{{1, 1}}})), 0.99, std::nan(""), ">").decided);
}

TEST(JudgeThresholdTest, IsNeverWrongOnRandomWindows) {
  std::mt19937_64 random(5);
  int decided = 0;
  for (int w = 0; w < 300; ++w) {
    const auto window = testing_support::DrawWindow(testing_support::DrawOptions(random), random);
    if (window.values.empty() || window.children.empty()) continue;
    const std::vector<LinkedProcess> processes = {{window.children, {}}};
    const double rank = RankOf(0.99, static_cast<double>(window.values.size()));
    const double truth = window.values[static_cast<std::size_t>(rank) - 1];
    for (const double factor : {0.3, 0.9, 0.999, 1.001, 1.2, 4.0}) {
      const auto verdict = JudgeThreshold(processes, 0.99, factor * truth, ">");
      if (*verdict.decided == Decided::kUndecidable) continue;
      ++decided;
      EXPECT_EQ(*verdict.decided == Decided::kAbove, factor < 1) << w << " " << factor;
    }
  }
  EXPECT_GT(decided, 600);
}

}  // namespace
}  // namespace schedlens
