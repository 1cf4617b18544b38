#include <gtest/gtest.h>

#include "scheduler/base/time.h"

namespace schedlens::sim {
namespace {

TEST(TokenBucket, GivesTheBurstThenOneATick) {
  TokenBucket bucket(20, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.Take(5 * kSecond), 0);
  EXPECT_EQ(bucket.Take(5 * kSecond), 50 * kMillisecond);
  EXPECT_EQ(bucket.Take(5 * kSecond), 100 * kMillisecond) << "waiters queue behind each other";
  EXPECT_EQ(bucket.Take(6 * kSecond), 0) << "the debt is paid, the bucket full";
  EXPECT_EQ(bucket.Take(6 * kSecond), 0);
}

TEST(TokenBucket, NoRateMeansNoLimit) {
  TokenBucket bucket(0, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(bucket.Take(0), 0);
}

}  // namespace
}  // namespace schedlens::sim
