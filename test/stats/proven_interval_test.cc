#include "stats/proven_interval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/not_finite.h"
#include "messages/catalog.h"
#include "stats/cells.h"
#include "stats/truth_model.h"

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

using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::Cells;
using testing_support::DrawOptions;
using testing_support::DrawWindow;

constexpr double kQs[] = {0, 0.5, 0.9, 0.95, 0.99, 0.999, 1};

std::vector<ScrapeIncreases> One(ScrapeIncreases cells) { return {std::move(cells)}; }

TEST(RankOfTest, IsTheCeilingButNotOfARoundingError) {
  const struct {
    double q, n, rank;
  } cases[] = {{0.99, 100, 99}, {0.99, 101, 100}, {0.07, 100, 7},    {0, 10, 1},
               {1, 10, 10},     {0.5, 3, 2},      {0.999, 1000, 999}};
  for (const auto& c : cases) EXPECT_EQ(RankOf(c.q, c.n), c.rank) << c.q << " of " << c.n;
}

TEST(ProveQuantileTest, WithoutSumsTheBucketIsAllThatIsKnown) {
  const auto proven = ProveQuantile(One(Cells({1, 2, 4, kInfinity}, {{{50, 40, 10, 0}}})), 0.95);
  EXPECT_EQ(proven.rank, 95);
  EXPECT_EQ(proven.proof.interval, (Interval{2, 4}));
  EXPECT_EQ(proven.basis, BasisKind::kBuckets);
  EXPECT_THAT(InEnglish(proven.reasons), Contains(HasSubstr("no _sum sample")));
}

TEST(ProveQuantileTest, OneObservationAScrapeIsKnownExactly) {
  const auto proven =
      ProveQuantile(One(Cells({1, 2, 4, kInfinity},
                              {{{1, 0, 0, 0}, 0.5}, {{0, 0, 1, 0}, 3.1}, {{0, 0, 1, 0}, 2.2}})),
                    0.5);
  EXPECT_NEAR(*proven.proof.interval.low, 2.2, 1e-8);
  EXPECT_NEAR(*proven.proof.interval.high, 2.2, 1e-8);
  EXPECT_EQ(proven.basis, BasisKind::kScrapeSums);
}

// H5.5: n = 10,000, S = 8,000 s, 200 above 16.384 s, lower edges of the others 2,500 s: p99 is the
// 100th of them and at most (8,000 - 2,500 - 99 * 16.384) / 101 = 38.4 s.
TEST(ProveQuantileTest, TheSumBoundsTheOpenBucketFromAbove) {
  const double middle = 2500.0 / 9800;
  const auto proven = ProveQuantile(
      One(Cells({middle, 2 * middle, 16.384, kInfinity}, {{{0, 9800, 0, 200}, 8000}})), 0.99);
  EXPECT_EQ(proven.proof.bucket, (Interval{16.384, std::nullopt}));
  EXPECT_NEAR(*proven.proof.interval.high, (8000 - 2500 - 99 * 16.384) / 101, 1e-4);
  EXPECT_NEAR(*proven.proof.interval.low, 16.384, 1e-6);
  EXPECT_THAT(InEnglish(proven.reasons), Contains(HasSubstr("above the highest finite bound")));
}

TEST(ProveQuantileTest, TheOpenBucketWithoutASumHasNoUpperEnd) {
  const auto proven = ProveQuantile(One(Cells({1, kInfinity}, {{{1, 9}}})), 0.99);
  EXPECT_EQ(proven.proof.interval.low, 1);
  EXPECT_FALSE(proven.proof.interval.high);
}

// H5.1: 99 fast ones and a slow one far away; rounding in rate() decides what a server prints.
TEST(ProveQuantileTest, FlagsTheKnifeEdge) {
  const auto proven = ProveQuantile(
      One(Cells({0.016, 0.032, 8.192, 16.384, kInfinity}, {{{99, 0, 0, 1, 0}}})), 0.99);
  EXPECT_EQ(proven.proof.interval.high, 0.016);
  EXPECT_THAT(InEnglish(proven.reasons), Contains(HasSubstr("accident between 0.016 and 8.192 s")));
}

TEST(ProveQuantileTest, NoKnifeEdgeWhenTheNextBucketIsPopulated) {
  const auto proven = ProveQuantile(One(Cells({0.016, 0.032, kInfinity}, {{{99, 1, 0}}})), 0.99);
  EXPECT_THAT(InEnglish(proven.reasons), Not(Contains(HasSubstr("knife edge"))));
}

TEST(ProveQuantileTest, MixedLayoutsAreBracketedChildByChild) {
  const std::vector<ScrapeIncreases> children = {Cells({1, 2, 4, kInfinity}, {{{8, 2, 0, 0}}}),
                                                 Cells({1, 3, kInfinity}, {{{8, 2, 0}}})};
  const auto proven = ProveQuantile(children, 0.95);  // the 19th of 20
  EXPECT_EQ(proven.proof.interval, (Interval{1, 3}));
  EXPECT_THAT(InEnglish(proven.reasons), Contains(HasSubstr("different bucket layouts")));
  EXPECT_EQ(CountAbove(children, 2).low, 0);
  EXPECT_EQ(CountAbove(children, 2).high, 2);
}

TEST(ProveQuantileTest, AResetCellFallsBackToItsBucket) {
  auto cells = Cells({1, 2, kInfinity}, {{{0, 1, 0}, 1.5}});
  cells.reset[0] = true;
  const auto proven = ProveQuantile(One(cells), 0.5);
  EXPECT_EQ(proven.proof.interval, (Interval{1, 2}));
  EXPECT_THAT(InEnglish(proven.reasons), Contains(HasSubstr("counter reset")));
}

TEST(ProveQuantileTest, SaysNothingRatherThanSomethingWrong) {
  EXPECT_TRUE(ProveQuantile({}, 0.5).basis.empty());
  EXPECT_TRUE(ProveQuantile(One(Cells({1, kInfinity}, {{{0, 0}}})), 0.5).basis.empty());
  EXPECT_TRUE(ProveQuantile(One(Cells({1, kInfinity}, {{{1, 0}}})), 1.5).basis.empty());
  EXPECT_TRUE(ProveQuantile(One(Cells({1, kInfinity}, {{{1, 0}}})), std::nan("")).basis.empty());
  EXPECT_TRUE(ProveQuantile(One(Cells({1, 2}, {{{1, 1}}})), 0.5).basis.empty());  // no +Inf
  EXPECT_TRUE(ProveQuantile(One(Cells({1, kInfinity}, {{{kInfinity, 0}}})), 0.5).basis.empty());
  EXPECT_TRUE(ProveQuantile(One(Cells({1, kInfinity}, {{{1e308, 1e308}}})), 0.5).basis.empty());
}

TEST(ProveQuantileTest, FractionsKeepTheBucketAndSayWhy) {
  const auto proven = ProveQuantile(One(Cells({1, 2, kInfinity}, {{{0.25, 0.5, 0}, 0.8}})), 0.5);
  EXPECT_EQ(proven.proof.interval, (Interval{1, 2}));
  EXPECT_EQ(proven.rank, 0.375);
  EXPECT_THAT(InEnglish(proven.reasons), Contains(HasSubstr("not whole numbers")));
}

TEST(ProveQuantileTest, HugeCountsAndManyBucketsAreNoTrouble) {
  EXPECT_EQ(
      ProveQuantile(One(Cells({1, 2, kInfinity}, {{{1e307, 1e300, 0}, 1}})), 0.5).proof.interval,
      (Interval{0, 1}));
  std::vector<double> bounds(9999), buckets(10000, 1);
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = static_cast<double>(i + 1);
  bounds.push_back(kInfinity);
  EXPECT_EQ(ProveQuantile(One(Cells(bounds, {{buckets}})), 0.5).proof.interval,
            (Interval{4999, 5000}));
  EXPECT_EQ(ProveQuantile(One(Cells({kInfinity}, {{{4}, 8}})), 0.5).proof.bucket,
            (Interval{0, std::nullopt}));
}

TEST(CountAboveTest, BracketsTheTruthAnywhere) {
  std::mt19937_64 random(11);
  for (int w = 0; w < 200; ++w) {
    const auto window = DrawWindow(DrawOptions(random), random);
    for (const double x : {0.003, 0.01, 0.0371, 0.1, 0.33, 1.0, 7.0}) {
      const auto bounds = CountAbove(window.children, x);
      const auto truth = static_cast<double>(
          window.values.end() - std::upper_bound(window.values.begin(), window.values.end(), x));
      if (window.children.empty()) continue;
      EXPECT_LE(bounds.low, truth);
      EXPECT_GE(bounds.high, truth);
    }
  }
}

TEST(ProveQuantileTest, TornCountsProveNothing) {
  ScrapeIncreases cells = Cells({1, 2, kInfinity}, {{{3, 0, 1}, 5}});
  cells.torn = true;
  const ProvenQuantile proven = ProveQuantile(std::vector<ScrapeIncreases>{cells}, 0.5);
  EXPECT_TRUE(proven.basis.empty());
  EXPECT_FALSE(proven.proof.interval.low || proven.proof.interval.high);
  EXPECT_THAT(InEnglish(proven.reasons), Contains(HasSubstr("nothing is proven")));
}

// 100 %, always. SCHEDLENS_NIGHTLY=1 makes it 100,000 windows.
TEST(ProveQuantileTest, HoldsTheTruthInEveryRandomWindow) {
  std::mt19937_64 random(1);
  const int windows = std::getenv("SCHEDLENS_NIGHTLY") != nullptr ? 100000 : 2000;
  int drawn = 0;
  while (drawn < windows) {
    const auto window = DrawWindow(DrawOptions(random), random);
    if (window.values.empty() || window.children.empty()) continue;
    ++drawn;
    for (const double q : kQs) {
      const auto proven = ProveQuantile(window.children, q);
      ASSERT_EQ(proven.observations, static_cast<double>(window.values.size()));
      const double truth = window.values[static_cast<std::size_t>(proven.rank) - 1];
      ASSERT_LE(proven.proof.interval.low.value_or(0), truth) << "window " << drawn << " q " << q;
      ASSERT_GE(proven.proof.interval.high.value_or(kInfinity), truth)
          << "window " << drawn << " q " << q;
    }
  }
}

// Replicas of different layouts: the union of their bounds, each with its own.
TEST(ProveQuantileTest, HoldsTheTruthAcrossRandomMixedLayouts) {
  std::mt19937_64 random(2);
  for (int w = 0; w < 200; ++w) {
    auto options = DrawOptions(random);
    options.per_second = std::min(options.per_second, 5.0);
    const auto seed = random();
    std::mt19937_64 first(seed);
    auto window = DrawWindow(options, first);
    options.factor = 1.7;
    options.first_bound *= 1.3;
    const auto other = DrawWindow(options, first);
    if (window.children.empty() || other.children.empty()) continue;
    window.children.insert(window.children.end(), other.children.begin(), other.children.end());
    window.values.insert(window.values.end(), other.values.begin(), other.values.end());
    if (window.values.empty()) continue;
    std::sort(window.values.begin(), window.values.end());
    for (const double q : {0.5, 0.99}) {
      const auto proven = ProveQuantile(window.children, q);
      const double truth = window.values[static_cast<std::size_t>(proven.rank) - 1];
      ASSERT_LE(proven.proof.interval.low.value_or(0), truth);
      ASSERT_GE(proven.proof.interval.high.value_or(kInfinity), truth);
    }
  }
}

}  // namespace
}  // namespace schedlens
