#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/not_finite.h"
#include "schedlens/histogram.h"
#include "stats/range_functions.h"

namespace schedlens {
namespace {

using Buckets = std::vector<Bucket>;
using Place = ClassicQuantile::Place;

ClassicQuantile Ask(double q, const Buckets& buckets, const char* version) {
  return QuantileOfBuckets(q, buckets, ParseSemantics(version));
}

TEST(ClassicQuantileTest, InterpolatesAndGivesTheEdgesAsTheServer) {
  const Buckets plain = {{0.1, 10}, {0.5, 30}, {1, 40}, {kInfinity, 50}};
  struct Row {
    double q;
    Buckets buckets;
    double value;
    Place place;
  };
  const std::vector<Row> table = {
      {0.5, plain, 0.1 + (0.5 - 0.1) * (15.0 / 20.0), Place::kInside},
      {0.1, plain, 0 + (0.1 - 0) * (5.0 / 10.0), Place::kInside},
      {0.2, plain, 0.1, Place::kInside},
      {0.9, plain, 1, Place::kTop},
      {1, plain, 1, Place::kTop},
      {0, plain, 0, Place::kInside},
      {-0.1, plain, -kInfinity, Place::kNowhere},
      {1.1, plain, kInfinity, Place::kNowhere},
      {1.5, {}, kNaN, Place::kNowhere},
      {1.5, {{1, 5}}, kInfinity, Place::kNowhere},  // q wins over what the data lacks
      {kNaN, plain, kNaN, Place::kNowhere},
      {0.5, {{0.1, 10}, {1, 40}}, kNaN, Place::kNowhere},
      {0.5, {{kInfinity, 10}}, kNaN, Place::kNowhere},
      {0.5, {{0.1, 0}, {kInfinity, 0}}, kNaN, Place::kNowhere},
      {0, {{0.1, 0}, {kInfinity, 10}}, kNaN, Place::kInside},  // 0/0 in the empty first bucket
      {0.5, {{-1, 10}, {1, 12}, {kInfinity, 12}}, -1, Place::kFirstAsIs},
      {0.5, {{-0.0, 10}, {kInfinity, 12}}, -0.0, Place::kFirstAsIs},
      {0.5, {{-kInfinity, 10}, {kInfinity, 12}}, -kInfinity, Place::kFirstAsIs},
      {0.5, {{1, 1e308}, {2, 1.7e308}, {kInfinity, 1.7e308}}, 0.85, Place::kInside},
      {0.5, {{0.1, 5}, {kInfinity, kNaN}}, 0.1, Place::kTop},  // nothing reaches a NaN rank
      {0.5,
       {{kInfinity, 12}, {0.1, 3}, {0.1, 3}},
       0.1,
       Place::kInside},  // unsorted, equal bounds added
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Row& row = table[i];
    const ClassicQuantile got = Ask(row.q, row.buckets, "3.13");
    if (std::isnan(row.value)) {
      EXPECT_TRUE(std::isnan(got.value)) << i;
    } else {
      EXPECT_EQ(got.value, row.value) << i;
      EXPECT_EQ(std::signbit(got.value), std::signbit(row.value)) << i;
    }
    EXPECT_EQ(got.place, row.place) << i;
  }
}

TEST(ClassicQuantileTest, ReportsRankAndBucket) {
  const ClassicQuantile got = Ask(0.5, {{0.1, 10}, {0.5, 30}, {1, 40}, {kInfinity, 50}}, "2.42");
  EXPECT_EQ(got.rank, 25);
  EXPECT_EQ(got.total, 50);
  EXPECT_EQ(got.lower, 0.1);
  EXPECT_EQ(got.upper, 0.5);
  EXPECT_EQ(got.count, 20);
}

TEST(ClassicQuantileTest, RepairsToTheRightAndSaysWhere) {
  const Buckets falling = {{0.1, 20}, {0.5, 15}, {1, 18}, {2, 30}, {kInfinity, 25}};
  for (const char* version : {"2.20", "2.48", "2.49", "3.13"}) {
    const ClassicQuantile got = Ask(0.9, falling, version);
    EXPECT_TRUE(got.forced_monotonic) << version;
    EXPECT_EQ(got.forced_low, 0.5);
    EXPECT_EQ(got.forced_high, kInfinity);
    EXPECT_EQ(got.forced_drop, 5);
    EXPECT_EQ(got.total, 30);
    EXPECT_EQ(got.value, 1 + (2 - 1) * ((0.9 * 30 - 20) / 10));
  }
}

TEST(ClassicQuantileTest, FlattensTinyDifferencesFrom249On) {
  const double n = 1e6;
  const double tiny = n * 1e-12;  // relative to the sum of both: 5e-13
  const Buckets rising = {{1, n}, {2, n + tiny}, {4, n + 5}, {kInfinity, n + 5}};
  EXPECT_FALSE(Ask(0.5, rising, "2.49").forced_monotonic);
  // The knife edge: the rank lies in the tiny rise. Flattened, it belongs to the next bucket.
  const Buckets knife = {{1, n}, {2, n + tiny}, {4, n + tiny}, {8, 2 * n}, {kInfinity, 2 * n}};
  const double q = (n + tiny / 2) / (2 * n);
  EXPECT_LE(Ask(q, knife, "2.48").value, 2);
  EXPECT_GE(Ask(q, knife, "2.49").value, 4);
}

TEST(ClassicQuantileTest, ToleratesRelativeToTheSum) {
  EXPECT_TRUE(AlmostEqual(1, 1 + 1.9e-12, 1e-12));
  EXPECT_FALSE(AlmostEqual(1, 1 + 2.1e-12, 1e-12));
  EXPECT_TRUE(AlmostEqual(kNaN, kNaN, 1e-12));
  EXPECT_FALSE(AlmostEqual(kNaN, 1, 1e-12));
  EXPECT_FALSE(AlmostEqual(0, 1e-300, 1e-12));
  EXPECT_TRUE(AlmostEqual(0, 0, 1e-12));
  EXPECT_TRUE(AlmostEqual(kInfinity, kInfinity, 1e-12));
}

TEST(ClassicQuantileTest, LetsNaNRunThroughTheSearchBefore235) {
  const Buckets plain = {{0.1, 10}, {1, 40}, {kInfinity, 50}};
  EXPECT_EQ(Ask(kNaN, plain, "2.34").value, 1);
  EXPECT_TRUE(std::isnan(Ask(kNaN, plain, "2.35").value));
}

TEST(ClassicQuantileTest, BisectsSoThatNaNCountsFollowTheProbeOrder) {
  // Four candidates: the first probe is index 2. NaN there sends the search to the right.
  const std::vector<double> counts = {50, 50, kNaN, 50, 50};
  EXPECT_EQ(FirstAtLeast(counts, 4, 10), 3U);
  const std::vector<double> other = {50, kNaN, 50, 50, 50};
  EXPECT_EQ(FirstAtLeast(other, 4, 10), 2U);
}

TEST(ClassicQuantileTest, PutsANaNBoundLastSoThatInfinityIsMissing) {
  EXPECT_TRUE(std::isnan(Ask(0.5, {{0.1, 1}, {kInfinity, 5}, {kNaN, 7}}, "2.42").value));
}

TEST(ClassicQuantileTest, FusesTheLastStepOnArm) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  int different = 0;
  for (int i = 0; i < 2000; ++i) {
    const double first = uniform(random) * 100;
    const Buckets buckets = {{0.1, first}, {0.7, first + uniform(random) * 100}, {kInfinity, 300}};
    const double q = uniform(random);
    const double plain = Ask(q, buckets, "3.0").value;
    const double fused = Ask(q, buckets, "3.0-arm64").value;
    EXPECT_NEAR(plain, fused, 1e-15);
    if (plain != fused) ++different;
  }
  EXPECT_GT(different, 20);
}

TEST(ClassicQuantileTest, IsMonotoneInQ) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 500; ++i) {
    Buckets buckets;
    double count = 1 + uniform(random);
    for (double bound = 0.001; bound < 10; bound *= 2) {
      buckets.push_back({bound, count});
      count += std::floor(uniform(random) * 20);
    }
    buckets.push_back({kInfinity, count});
    double before = -1;
    for (double q = 0; q <= 1; q += 0.01) {
      const double value = Ask(q, buckets, "3.13").value;
      EXPECT_GE(value, before * (1 - 1e-12));
      before = value;
    }
  }
}

TEST(VictoriaQuantileTest, FollowsItsOwnRules) {
  struct Row {
    double q;
    std::vector<Bucket> buckets;
    double value;
  };
  const std::vector<Row> table = {
      {0.5, {{0.1, 10}, {0.5, 30}, {1, 40}, {kInfinity, 50}}, 0.1 + (0.5 - 0.1) * 15 / 20},
      {0.5, {{0.1, 10}, {1, 40}}, 0.1 + (1 - 0.1) * (20.0 - 10) / 30},  // no +Inf needed
      {0.95, {{0.1, 10}, {1, 40}, {kInfinity, 50}}, 1},
      {0, {{0.1, 0}, {1, 40}, {kInfinity, 50}}, 0.1},  // an empty first bucket moves the lower edge
      {0.1,
       {{-1, 10}, {1, 12}, {kInfinity, 12}},
       (-1 - 0.0) * (12 * 0.1) / 10},  // no rule for bounds <= 0
      {-1, {{0.1, 10}, {kInfinity, 10}}, -kInfinity},
      {2, {{0.1, 10}, {kInfinity, 10}}, kInfinity},
      {2, {{0.1, 0}, {kInfinity, 0}}, kNaN},  // no data wins over q
      {kNaN, {{0.1, 10}, {kInfinity, 10}}, kNaN},
      {0.9, {{0.1, 20}, {0.5, 15}, {1, 30}, {kInfinity, 25}}, 0.5 + (1 - 0.5) * (27.0 - 20) / 10},
      {0.5, {{0.1, kNaN}, {1, 10}, {kInfinity, kNaN}}, 0.1 + (1 - 0.1) * 5 / 10},
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double got =
        QuantileOfBuckets(table[i].q, table[i].buckets, ParseSemantics("victoriametrics")).value;
    if (std::isnan(table[i].value)) {
      EXPECT_TRUE(std::isnan(got)) << i << " " << got;
    } else {
      EXPECT_EQ(got, table[i].value) << i;
    }
  }
}

TEST(VictoriaQuantileTest, ReportsTheRepair) {
  const ClassicQuantile got =
      QuantileOfBuckets(0.9, std::vector<Bucket>{{0.1, 20}, {0.5, 15}, {1, 30}, {kInfinity, 25}},
                        ParseSemantics("victoriametrics"));
  EXPECT_TRUE(got.forced_monotonic);
  EXPECT_EQ(got.forced_low, 0.5);
  EXPECT_EQ(got.forced_high, kInfinity);
  EXPECT_EQ(got.forced_drop, 5);
}

TEST(VictoriaQuantileTest, RepairedDownwardsUpTo1101) {
  // 40, 30, 35: now 40, 40, 40; then 30, 30, 35.
  const std::vector<Bucket> buckets = {{0.1, 40}, {1, 30}, {kInfinity, 35}};
  EXPECT_EQ(QuantileOfBuckets(0.5, buckets, ParseSemantics("victoriametrics-1.101")).value,
            0 + (0.1 - 0) * (35 * 0.5) / 30);
  EXPECT_EQ(QuantileOfBuckets(0.5, buckets, ParseSemantics("victoriametrics-1.102")).value,
            0 + (0.1 - 0) * (40 * 0.5) / 40);
  EXPECT_EQ(QuantileOfBuckets(0.9, buckets, ParseSemantics("victoriametrics-1.79")).value, 1);
}

const std::vector<Bucket> kPlain = {{0.1, 10}, {0.5, 30}, {1, 40}, {kInfinity, 50}};

TEST(ClassicFractionTest, InterpolatesOnBothSides) {
  struct Row {
    double lower, upper, value;
  };
  const std::vector<Row> table = {
      {0, 0.5, 30.0 / 50},
      {-kInfinity, 0.1, 10.0 / 50},
      {0.1, 0.5, 20.0 / 50},
      {0.3, kInfinity, (50 - (10 + 20 * (0.3 - 0.1) / (0.5 - 0.1))) / 50},
      {1, 5, 0},  // nothing of the open top bucket counts
      {1, kInfinity, 0.2},
      {-kInfinity, kInfinity, 1},
      {-5, 0, 0},
      {0.5, 0.5, 0},
      {0.6, 0.5, 0},
  };
  for (const Row& row : table) {
    EXPECT_DOUBLE_EQ(FractionOfBuckets(row.lower, row.upper, kPlain, Semantics{}), row.value)
        << row.lower << " to " << row.upper;
  }
}

TEST(ClassicFractionTest, IsNaNWithoutData) {
  EXPECT_TRUE(std::isnan(FractionOfBuckets(0, 1, {}, Semantics{})));
  const std::vector<Bucket> open = {{1, 5}};
  EXPECT_TRUE(std::isnan(FractionOfBuckets(0, 1, open, Semantics{})));
  const std::vector<Bucket> empty = {{1, 0}, {kInfinity, 0}};
  EXPECT_TRUE(std::isnan(FractionOfBuckets(0, 1, empty, Semantics{})));
  EXPECT_TRUE(std::isnan(FractionOfBuckets(kNaN, 1, kPlain, Semantics{})));
  EXPECT_TRUE(std::isnan(FractionOfBuckets(0, kNaN, kPlain, Semantics{})));
}

TEST(ClassicFractionTest, TakesABucketWithoutLowerEndWhole) {
  const std::vector<Bucket> negative = {{-1, 10}, {1, 20}, {kInfinity, 20}};
  EXPECT_EQ(FractionOfBuckets(-kInfinity, -2, negative, ParseSemantics("3.8")), 0.5);
  EXPECT_TRUE(std::isnan(FractionOfBuckets(-kInfinity, -2, negative, ParseSemantics("3.7"))));
}

TEST(ClassicFractionTest, IsTheInverseOfTheQuantile) {
  for (double q = 0.05; q < 0.8; q += 0.05) {
    const double value = QuantileOfBuckets(q, kPlain, Semantics{}).value;
    EXPECT_NEAR(FractionOfBuckets(-kInfinity, value, kPlain, Semantics{}), q, 1e-12);
  }
}

}  // namespace
}  // namespace schedlens
