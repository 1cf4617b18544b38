#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "diagnose/causes/measurement.h"
#include "diagnose/incident.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Quick;

const std::vector<double> kBounds = {0.064, 0.128, 0.256, 0.512, 1.024, INFINITY};

PooledBuckets Buckets(const std::vector<double>& counts,
                      const std::vector<double>& bounds = kBounds) {
  PooledBuckets buckets{bounds, std::vector<double>(counts.size())};
  std::partial_sum(counts.begin(), counts.end(), buckets.cumulative.begin());
  return buckets;
}

ResultTail Tail(const std::vector<double>& counts, double mean = 0.05) {
  PooledBuckets buckets = Buckets(counts);
  const std::size_t b = buckets.BucketOf(0.99);
  return {"scheduled", buckets.count(), mean, buckets.LowerEdge(b), buckets.bounds[b], buckets};
}

Measurement Of(const ResultTail& tail) {
  Measurement m;
  m.tails.push_back(tail);
  return m;
}

bool IsSlow(const ResultTail& now, const std::optional<ResultTail>& before = {},
            std::optional<double> threshold = {}) {
  return CompareSpeed(Of(now), before ? std::optional(Of(*before)) : std::nullopt, threshold).slow;
}

TEST(SmallestPValueTest, IsFishersTimesTheTestsTried) {
  const PooledBuckets before = Buckets({990, 0, 0, 10, 0, 0});
  const PooledBuckets now = Buckets({960, 0, 0, 40, 0, 0});
  const double p = FisherAtLeast({40, 1000}, {10, 1000});
  EXPECT_DOUBLE_EQ(SmallestPValue(now, before, 0.1), 2 * p)
      << "over 0.128 and over 0.256 is one test, over 0.512 another";
  EXPECT_DOUBLE_EQ(SmallestPValue(now, before, 0.3), 1) << "over 0.512 there is nothing";
}

TEST(SmallestPValueTest, TriesBoundsThatBothHaveFromTheLeastOn) {
  const PooledBuckets now = Buckets({900, 0, 100, 0, 0, 0});
  const PooledBuckets before = Buckets({1000, 0, 0, 0, 0, 0});
  EXPECT_LT(SmallestPValue(now, before, 0.1), 1e-20);
  EXPECT_EQ(SmallestPValue(now, before, 0.2), 1) << "only those under 0.256 became more";
  const PooledBuckets other = Buckets({1000, 0}, {0.1, INFINITY});
  EXPECT_EQ(SmallestPValue(now, other, 0.1), 1) << "no bound in common";
  EXPECT_EQ(SmallestPValue({}, before, 0.1), 1);
}

TEST(TestTailTest, ComparesFractionsAndInterpolatedQuantiles) {
  const TailTest test = TestTail(Tail({900, 50, 0, 0, 50, 0}), Tail({900, 90, 10, 0, 0, 0}));
  EXPECT_LT(test.p_value, 1e-10);
  // From the upper end of (0.064, 0.128] to four fifths of (0.512, 1.024].
  EXPECT_NEAR(test.growth, (0.512 + 0.8 * 0.512) / 0.128, 1e-9);
}

TEST(TestTailTest, TheMeanTellsMoreWhereTheOpenBucketHidesTheQuantile) {
  const ResultTail before = Tail({900, 0, 0, 0, 100, 0}, 0.1);
  const ResultTail now = Tail({900, 0, 0, 0, 0, 100}, 4);
  EXPECT_NEAR(TestTail(now, before).growth, 40, 1e-9);
  EXPECT_LT(TestTail(Tail({900, 0, 0, 0, 0, 100}, 0.1), before).growth, 2);
}

TEST(TestTailTest, WithoutBucketsNothingIsTested) {
  const ResultTail blind{"scheduled", 1000, 3, 0, INFINITY, Buckets({1000}, {INFINITY})};
  EXPECT_EQ(TestTail(blind, Tail({1000, 0, 0, 0, 0, 0})).p_value, 1);
  EXPECT_EQ(TestTail(blind, Tail({1000, 0, 0, 0, 0, 0})).growth, 0);
}

TEST(CompareSpeedTest, SlowIsSignificantAndClear) {
  const struct {
    const char* name;
    std::vector<double> before, now;
    bool slow;
  } cases[] = {
      {"the p99 crosses a bound, by chance",
       {8000, 1500, 300, 110, 80, 10},
       {7980, 1500, 300, 115, 95, 10},
       false},
      {"far from chance, but less than half as slow again",
       {80'000, 15'000, 3000, 1100, 800, 100},
       {79'000, 15'000, 3000, 1700, 1200, 100},
       false},
      {"ten times as slow, but three of twenty", {200, 0, 0, 0, 0, 0}, {18, 0, 0, 0, 2, 0}, false},
      {"ten times as slow", {2000, 0, 0, 0, 0, 0}, {1800, 0, 0, 0, 200, 0}, true},
      {"one bucket further", {1500, 0, 500, 0, 0, 0}, {1500, 0, 0, 500, 0, 0}, true},
      {"quicker", {1800, 0, 0, 0, 200, 0}, {1800, 0, 200, 0, 0, 0}, false},
  };
  for (const auto& c : cases) EXPECT_EQ(IsSlow(Tail(c.now), Tail(c.before)), c.slow) << c.name;
}

TEST(CompareSpeedTest, WithoutABaselineOnlyHalfASecondIsSlow) {
  EXPECT_TRUE(IsSlow(Tail({0, 0, 0, 0, 10, 0})));
  EXPECT_FALSE(IsSlow(Tail({0, 0, 0, 0, 9, 0}))) << "nine attempts have no tail";
  EXPECT_FALSE(IsSlow(Tail({0, 0, 0, 1000, 0, 0})));
}

TEST(CompareSpeedTest, AResultThatTheBaselineHasNotIsSlowByItself) {
  ResultTail before = Tail({1000, 0, 0, 0, 0, 0});
  before.result = "unschedulable";
  EXPECT_TRUE(IsSlow(Tail({0, 0, 0, 0, 20, 0}), before));
  EXPECT_FALSE(IsSlow(Tail({0, 0, 0, 20, 0, 0}), before));
  EXPECT_FALSE(IsSlow(Tail({0, 0, 0, 0, 9, 0}), before)) << "nine attempts have no tail";
}

TEST(CompareSpeedTest, ProvenAboveTheAlertsThresholdIsSlow) {
  const ResultTail same = Tail({900, 0, 100, 0, 0, 0});
  EXPECT_FALSE(IsSlow(same, same));
  EXPECT_TRUE(IsSlow(same, same, 0.128));
  EXPECT_FALSE(IsSlow(same, same, 0.2)) << "inside the bucket: not proven";
  EXPECT_FALSE(IsSlow(Tail({0, 1000, 0, 0, 0, 0}), {}, 0.05)) << "nobody minds so quick a p99";
}

TEST(CompareSpeedTest, WithoutBucketsTheMeanHasToDouble) {
  const auto blind = [](double mean, double count = 1000) {
    return ResultTail{"scheduled", count, mean, 0, INFINITY, Buckets({count}, {INFINITY})};
  };
  EXPECT_TRUE(IsSlow(blind(0.4), blind(0.2)));
  EXPECT_FALSE(IsSlow(blind(0.39), blind(0.2)));
  EXPECT_FALSE(IsSlow(blind(0.09), blind(0.001)));
  EXPECT_FALSE(IsSlow(blind(0.4, 9), blind(0.2)));
  EXPECT_TRUE(IsSlow(blind(0.5)));
  EXPECT_FALSE(IsSlow(blind(0.49)));
}

TEST(CompareSpeedTest, SaysHowManyAttemptsADoublingNeeds) {
  const ResultTail before = Tail({9800, 120, 80, 0, 0, 0});
  const auto needed = [&](double n) {
    return CompareSpeed(Of(Tail({n, 0, 0, 0, 0, 0})), Of(before), {}).attempts_needed;
  };
  const double enough = TrialsToSeeDoubling({80, 10'000}, kSignificant);
  ASSERT_TRUE(needed(50));
  EXPECT_EQ(*needed(50), enough);
  EXPECT_TRUE(needed(enough - 1));
  EXPECT_FALSE(needed(enough));
  EXPECT_FALSE(CompareSpeed(Of(Tail({50, 0, 0, 0, 0, 0})), {}, {}).attempts_needed);
}

TEST(StagePValueTest, JudgesAStageByItsOwnHistogram) {
  const auto c = test::Judge([](int i) { return i % 10 ? Quick(i) : Attempt{.prebind = 0.3}; }).c;
  for (const bool as_attempts : {true, false}) {
    const auto p = [&](kube::Stage stage) {
      return StagePValue(c.now, c.baseline, stage, as_attempts);
    };
    EXPECT_LE(p(kube::Stage::kPreBind), kSignificant);
    EXPECT_GT(p(kube::Stage::kBindPlugins), kSignificant);
    EXPECT_EQ(p(kube::Stage::kUnmeasured), 1) << "has no histogram";
    EXPECT_EQ(StagePValue(c.now, std::nullopt, kube::Stage::kPreBind, as_attempts), 1);
  }
}

TEST(StagePValueTest, SlowerUnderTheBaselinesP99MakesNoAttemptSlow) {
  // Quick attempts end in (4, 8] ms: PreBind went from 1 us to a millisecond.
  const auto c = test::Judge([](int i) {
                   Attempt a = Quick(i);
                   a.prebind = 0.001;
                   return a;
                 }).c;
  EXPECT_GT(StagePValue(c.now, c.baseline, kube::Stage::kPreBind, true), kSignificant);
  EXPECT_LT(StagePValue(c.now, c.baseline, kube::Stage::kPreBind, false), 1e-20);
}

TEST(StagePValueTest, WaitingAtPermitHasAHistogramToo) {
  const auto c = test::Judge([](int i) { return i % 10 ? Quick(i) : Attempt{.permit_wait = 1}; }).c;
  EXPECT_EQ(StagePValue(c.now, c.baseline, kube::Stage::kPermitWait, true), 1)
      << "nobody waited before: there is nothing to compare with";
}

}  // namespace
}  // namespace schedlens
