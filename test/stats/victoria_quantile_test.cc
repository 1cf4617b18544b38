#include <gtest/gtest.h>

#include <cmath>

#include "schedlens/histogram.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

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

}  // namespace
}  // namespace schedlens
