#include <gtest/gtest.h>

#include "scheduler/engine/world.h"

namespace schedlens::sim {
namespace {

TEST(PodWatch, FollowsTheFirstPodOfThatNameOnly) {
  PodWatch watch("default/a");
  watch.Created(3, 0, [] { return std::string("default/b"); });
  EXPECT_FALSE(watch.Is(3));
  watch.Created(4, 7, [] { return std::string("default/a"); });
  watch.Created(5, 9, [] { return std::string("default/a"); });
  EXPECT_TRUE(watch.Is(4));
  EXPECT_FALSE(watch.Is(5));
  EXPECT_EQ(watch.story().created, 7);
}

TEST(PodWatch, AttemptsThatEndWithoutTheAlgorithmSayWhy) {
  PodWatch watch("default/a");
  watch.Begin(1, 5);
  watch.Ended("no claim");
  ASSERT_EQ(watch.story().attempts.size(), 1U);
  EXPECT_EQ(watch.story().attempts[0].why, "no claim");
  EXPECT_EQ(watch.story().attempts[0].detail, nullptr);
}

}  // namespace
}  // namespace schedlens::sim
