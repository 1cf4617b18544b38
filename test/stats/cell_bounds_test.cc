#include <gtest/gtest.h>

#include "stats/cells.h"
#include "stats/not_finite.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

using testing_support::Cells;

TEST(BucketOfTest, AValueEqualToABoundBelongsBelowIt) {
  const std::vector<double> bounds = {1, 2, kInfinity};
  EXPECT_EQ(BucketOf(bounds, 1), 0u);
  EXPECT_EQ(BucketOf(bounds, 1.5), 1u);
  EXPECT_EQ(BucketOf(bounds, 2), 1u);
  EXPECT_EQ(BucketOf(bounds, 3), 2u);
}

TEST(CellAboveTest, OneObservationIsRevealedByTheSum) {
  const auto cells = Cells({1, 2, 4, kInfinity}, {{{0, 0, 1, 0}, 3.25}});
  EXPECT_EQ(CellAbove(cells, 0, 3.24).low, 1);
  EXPECT_EQ(CellAbove(cells, 0, 3.26).high, 0);
}

TEST(CellAboveTest, CountsAreExactAtBoundsWithoutAnySum) {
  const auto cells = Cells({1, 2, 4, kInfinity}, {{{3, 2, 1, 1}}});
  const double at[] = {1, 2, 4};
  const double above[] = {4, 2, 1};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(CellAbove(cells, 0, at[i]).low, above[i]);
    EXPECT_EQ(CellAbove(cells, 0, at[i]).high, above[i]);
  }
}

// Two in (2, 4] that add up to 7: at most both, at least one of them above 3; none can be below 3
// together with one at 4.
TEST(CellAboveTest, TheSumLimitsHowManyLieOnEachSide) {
  const auto cells = Cells({1, 2, 4, kInfinity}, {{{0, 0, 2, 0}, 7}});
  EXPECT_EQ(CellAbove(cells, 0, 3.25).low, 1);
  EXPECT_EQ(CellAbove(cells, 0, 3.25).high, 2);
  EXPECT_EQ(CellAbove(cells, 0, 2.9).low, 2);
  EXPECT_EQ(CellAbove(cells, 0, 3.6).high, 1);
}

// H5.6 with A of the open bucket: all c are at most x only if c x reaches the sum.
TEST(CellAboveTest, TheOpenBucketIsBoundedByItsSum) {
  const auto cells = Cells({1, 2, kInfinity}, {{{0, 0, 2}, 20}});
  EXPECT_EQ(CellAbove(cells, 0, 9.9).low, 1);
  EXPECT_EQ(CellAbove(cells, 0, 10.1).low, 0);
  EXPECT_EQ(CellAbove(cells, 0, 17.9).high, 1);
  EXPECT_EQ(CellAbove(cells, 0, 18.1).high, 0);
}

TEST(SumUseTest, NamesWhyASumIsNotUsed) {
  auto cells =
      Cells({1, 2, kInfinity}, {{{1, 1, 0}, 2}, {{1, 1, 0}}, {{1, 1, 0}, 5}, {{0.5, 1, 0}, 2}});
  EXPECT_EQ(SumUseOf(cells, 0), SumUse::kUsed);
  EXPECT_EQ(SumUseOf(cells, 1), SumUse::kMissing);
  EXPECT_EQ(SumUseOf(cells, 2), SumUse::kContradicts);
  EXPECT_EQ(SumUseOf(cells, 3), SumUse::kNotWhole);
  cells.reset[0] = true;
  EXPECT_EQ(SumUseOf(cells, 0), SumUse::kReset);
  EXPECT_EQ(SumUseOf(Cells({-1, 2, kInfinity}, {{{1, 1, 0}, 0.5}}), 0), SumUse::kNoZero);
}

TEST(SumUseTest, ABucketBoundaryNeverCostsTheSumItsUseThroughRounding) {
  // 0.1 three times is not 0.3 in doubles; the slack covers it.
  const double sum = 0.1 + 0.1 + 0.1;
  EXPECT_EQ(SumUseOf(Cells({0.1, 0.2, kInfinity}, {{{3, 0, 0}, sum}}), 0), SumUse::kUsed);
}

TEST(SumSlackTest, GrowsWithTheCounterTheSumIsADifferenceOf) {
  auto cells = Cells({1, 2, kInfinity}, {{{100, 0, 0}, 50}});
  const double young = SumSlack(cells, 0);
  cells.sum_at = {1e9, 1e9 + 50};
  EXPECT_GT(SumSlack(cells, 0), 100 * young);
}

TEST(AtMostTest, KeepsTheWholeBucketOpenWithoutASum) {
  const Slice slice{5, 5, 10};  // c L and c U of (1, 2]
  EXPECT_EQ(AtMost(slice, 1, 2, 1.5).low, 0);
  EXPECT_EQ(AtMost(slice, 1, 2, 1.5).high, 5);
  EXPECT_EQ(AtMost(slice, 1, 2, 1).high, 0);
  EXPECT_EQ(AtMost(slice, 1, 2, 2).low, 5);
}

TEST(LowerEdgeTest, IsZeroForLatenciesAndUnknownOtherwise) {
  EXPECT_EQ(LowerEdge(std::vector<double>{1, kInfinity}, 0), 0);
  EXPECT_EQ(LowerEdge(std::vector<double>{0, kInfinity}, 0), -kInfinity);
  EXPECT_EQ(LowerEdge(std::vector<double>{1, kInfinity}, 1), 1);
}

}  // namespace
}  // namespace schedlens
