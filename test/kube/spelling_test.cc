// Enums with spellings, and what is keyed by them.

#include <gtest/gtest.h>

#include <vector>

#include "kube/words.h"

namespace schedlens::kube {
namespace {

TEST(PartialEnumMap, HoldsWhatWasPutInAndIsWalkedInTheOrderOfTheEnum) {
  PartialEnumMap<QueueName, int> pods = {{QueueName::kGated, 4}, {QueueName::kActive, 1}};
  EXPECT_TRUE(pods.contains(QueueName::kActive));
  EXPECT_FALSE(pods.contains(QueueName::kBackoff));
  EXPECT_EQ(pods.Get(QueueName::kGated), 4);
  EXPECT_EQ(pods.Get(QueueName::kBackoff, 7), 7);
  EXPECT_EQ(pods.Find(QueueName::kBackoff), nullptr);
  pods[QueueName::kBackoff] += 2;
  std::vector<int> walked;
  for (const auto& [queue, count] : pods) walked.push_back(count);
  EXPECT_EQ(walked, (std::vector<int>{1, 2, 4}));
  for (const QueueName queue : All<QueueName>()) pods.erase(queue);
  EXPECT_TRUE(pods.empty());
}

TEST(ResultOf, ReadsHowAttemptsEnded) {
  EXPECT_EQ(ResultOf(Labels({{"result", "unschedulable"}})), AttemptResult::kUnschedulable);
  EXPECT_EQ(ResultOf(Labels({{"profile", "default"}})), AttemptResult::kScheduled)
      << "1.18 observes successful binds only";
  EXPECT_EQ(ResultOf(Labels({{"result", "lost"}})), AttemptResult::kError);
  EXPECT_FALSE(IsScheduled(Labels({{"result", "lost"}})));
}

}  // namespace
}  // namespace schedlens::kube
