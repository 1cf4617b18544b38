#include "scheduler/engine/scheduling_queue.h"

#include <gtest/gtest.h>

#include <map>

#include "scheduler/base/random.h"

namespace schedlens::sim {
namespace {

constexpr Nanos kNow = 100 * kSecond;

SchedulingQueue Queue(const char* release = "1.20") {
  return SchedulingQueue(Release::Parse(release), {kSecond, 10 * kSecond});
}

TEST(SchedulingQueue, PopsByPriorityThenByTime) {
  SchedulingQueue queue = Queue();
  queue.Add(0, 0, kNow);
  queue.Add(1, 5, kNow + 2);
  queue.Add(2, 0, kNow - 1);
  queue.Add(2, 9, kNow);  // known already: nothing happens
  EXPECT_EQ(queue.Pop(kNow), 1u);
  EXPECT_EQ(queue.Pop(kNow), 2u);
  EXPECT_EQ(queue.Pop(kNow), 0u);
  EXPECT_FALSE(queue.Pop(kNow));
  EXPECT_EQ(queue.incoming(QueueName::kActive, PodEvent::kPodAdd), 3u);
}

TEST(SchedulingQueue, AFailedPodWaitsForAnEventAndItsBackoff) {
  SchedulingQueue queue = Queue();
  queue.Add(0, 0, kNow);
  queue.Pop(kNow);
  queue.AddFailed(0, kRejectedByResources, false, kNow);
  EXPECT_EQ(queue.Where(0), QueueName::kUnschedulable);
  queue.MoveOnEvent(PodEvent::kAssignedPodDelete, kNow + kSecond / 2);
  EXPECT_EQ(queue.Where(0), QueueName::kBackoff);
  queue.FlushBackoff(kNow + kSecond - 1);
  EXPECT_EQ(queue.Where(0), QueueName::kBackoff);
  queue.FlushBackoff(kNow + kSecond);
  EXPECT_EQ(queue.Where(0), QueueName::kActive);
  EXPECT_EQ(queue.incoming(QueueName::kActive, PodEvent::kBackoffComplete), 1u);
}

TEST(SchedulingQueue, BackoffDoublesUpToItsMaximum) {
  SchedulingQueue queue = Queue();
  queue.Add(0, 0, kNow);
  const Nanos expected[] = {1, 2, 4, 8, 10, 10};
  for (Nanos seconds : expected) {
    queue.Pop(kNow);
    queue.AddFailed(0, 0, false, kNow);
    queue.MoveOnEvent(PodEvent::kNodeAdd, kNow + seconds * kSecond - 1);
    EXPECT_EQ(queue.Where(0), QueueName::kBackoff) << seconds;
    queue.FlushBackoff(kNow + seconds * kSecond);
    EXPECT_EQ(queue.Where(0), QueueName::kActive) << seconds;
  }
}

TEST(SchedulingQueue, AMoveDuringTheAttemptSendsThePodToBackoff) {
  SchedulingQueue queue = Queue();
  queue.Add(0, 0, kNow);
  queue.Pop(kNow);
  queue.MoveOnEvent(PodEvent::kAssignedPodAdd, kNow);
  queue.AddFailed(0, kRejectedByResources, false, kNow);
  EXPECT_EQ(queue.Where(0), QueueName::kBackoff);
}

TEST(SchedulingQueue, From122AnEventWakesOnlyWhomItMayHelp) {
  for (const auto& [release, woken] :
       std::map<const char*, bool>{{"1.20", true}, {"1.26", false}}) {
    SchedulingQueue queue = Queue(release);
    queue.Add(0, 0, kNow);
    queue.Pop(kNow);
    queue.AddFailed(0, kRejectedByNodeAffinity, false, kNow);
    queue.MoveOnEvent(PodEvent::kAssignedPodDelete, kNow + 60 * kSecond);
    EXPECT_EQ(queue.Where(0), woken ? QueueName::kActive : QueueName::kUnschedulable) << release;
    queue.MoveOnEvent(PodEvent::kNodeAdd, kNow + 60 * kSecond);
    EXPECT_EQ(queue.Where(0), QueueName::kActive) << release;
  }
}

TEST(SchedulingQueue, UnschedulablePodsAreRetriedAfterTheirTime) {
  for (const auto& [release, seconds] : std::map<const char*, Nanos>{{"1.20", 60}, {"1.26", 300}}) {
    SchedulingQueue queue = Queue(release);
    queue.Add(0, 0, kNow);
    queue.Pop(kNow);
    queue.AddFailed(0, kRejectedByResources, false, kNow);
    queue.FlushUnschedulable(kNow + seconds * kSecond);
    EXPECT_EQ(queue.Where(0), QueueName::kUnschedulable) << release;
    queue.FlushUnschedulable(kNow + seconds * kSecond + 1);
    EXPECT_EQ(queue.Where(0), QueueName::kActive) << release;
  }
}

TEST(SchedulingQueue, From133AnIdleLoopPopsFromBackoff) {
  for (const auto& [release, pops] : std::map<const char*, bool>{{"1.32", false}, {"1.33", true}}) {
    SchedulingQueue queue = Queue(release);
    queue.Add(0, 0, kNow);
    queue.Pop(kNow);
    queue.MoveOnEvent(PodEvent::kAssignedPodDelete, kNow);
    queue.AddFailed(0, kRejectedByResources, false, kNow);
    ASSERT_EQ(queue.Where(0), QueueName::kBackoff);
    EXPECT_EQ(queue.Pop(kNow).has_value(), pops) << release;
  }
}

TEST(SchedulingQueue, ARemovedPodIsForgottenEverywhere) {
  SchedulingQueue queue = Queue();
  queue.Add(0, 0, kNow);
  queue.Add(1, 0, kNow);
  queue.Remove(0);
  EXPECT_EQ(queue.Pop(kNow), 1u);
  queue.Remove(1);
  queue.AddFailed(1, 0, false, kNow);
  EXPECT_EQ(queue.Where(1), std::nullopt);
  EXPECT_FALSE(queue.Pop(kNow));
}

struct FakeAdvisor : QueueAdvisor {
  bool Helps(PodNumber, Rejection plugin, PodEvent, std::uint32_t) override {
    return plugin == helped;
  }
  bool Admits(PodNumber waiting, std::uint32_t) override { return waiting != 0; }
  bool Attracted(PodNumber, std::uint32_t) override { return false; }
  bool MayHelp(PodNumber waiting, PodEvent) override { return waiting != unaided; }
  Rejection GatedBy(PodNumber) override { return gate; }
  Rejection helped = kRejectedByPreemption;
  Rejection gate = kRejectedByNobody;
  PodNumber unaided = 99;
};

// The pod may not come back before its last victim's deletion, which wakes it.
TEST(SchedulingQueue, APreemptingPodIsGatedUntilItsLastVictimGoes) {
  FakeAdvisor advisor;
  SchedulingQueue queue = Queue("1.34");
  queue.SetAdvisor(&advisor);
  queue.Add(0, 0, kNow);
  queue.Pop(kNow);
  advisor.gate = kRejectedByPreemption;
  advisor.helped = kRejectedByResources;
  queue.AddFailed(0, kRejectedByResources, false, kNow);
  queue.MoveOnEvent(PodEvent::kAssignedPodDelete, kNow, {1, 7});
  EXPECT_EQ(queue.Where(0), QueueName::kGated);
  EXPECT_FALSE(queue.CanPop());
  queue.MoveOnEvent(PodEvent::kNodeAdd, kNow, {1, 0});
  EXPECT_EQ(queue.Where(0), QueueName::kGated);
  advisor.gate = kRejectedByNobody;
  queue.MoveOnEvent(PodEvent::kAssignedPodDelete, kNow, {1, 8});
  EXPECT_EQ(queue.Where(0), QueueName::kBackoff);
  EXPECT_EQ(queue.Pop(kNow), 0u);
}

TEST(SchedulingQueue, ANewNodeIsCheckedBefore132AndHintedFromThenOn) {
  for (const char* release : {"1.26", "1.31", "1.32"}) {
    FakeAdvisor advisor;
    advisor.helped = kRejectedByTaints;
    SchedulingQueue queue = Queue(release);
    queue.SetAdvisor(&advisor);
    for (const PodNumber pod : {0, 1}) queue.Add(pod, 0, kNow);
    queue.Pop(kNow);
    queue.Pop(kNow);
    queue.AddFailed(0, kRejectedByResources, false, kNow);
    queue.AddFailed(1, kRejectedByTaints, false, kNow);
    queue.MoveOnEvent(PodEvent::kNodeAdd, kNow + 30 * kSecond, {1, 0});
    EXPECT_EQ(queue.Where(0), QueueName::kUnschedulable) << release;
    EXPECT_EQ(queue.Where(1), QueueName::kActive) << release;
  }
}

// From 1.32 Helps is asked, of each plugin.
TEST(SchedulingQueue, APodWhosePluginExpectsNothingOfAnEventStaysBefore132) {
  for (const char* release : {"1.21", "1.26", "1.31"}) {
    for (const PodEvent event : {PodEvent::kNodeAdd, PodEvent::kAssignedPodDelete}) {
      FakeAdvisor advisor;
      advisor.unaided = 1;
      SchedulingQueue queue = Queue(release);
      queue.SetAdvisor(&advisor);
      for (const PodNumber pod : {1, 2}) queue.Add(pod, 0, kNow);
      for (int i = 0; i < 2; ++i) queue.Pop(kNow);
      for (const PodNumber pod : {1, 2}) queue.AddFailed(pod, kRejectedByOther, false, kNow);
      queue.MoveOnEvent(event, kNow + 30 * kSecond, {1, 0});
      EXPECT_EQ(queue.Where(1), QueueName::kUnschedulable) << release;
      EXPECT_EQ(queue.Where(2), QueueName::kActive) << release;
    }
  }
}

// A slow, plain re-statement: where each pod is, by name.
TEST(SchedulingQueue, NeverLosesOrDoublesAPod) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const char* releases[] = {"1.20", "1.23", "1.26", "1.30", "1.34"};
    SchedulingQueue queue = Queue(releases[seed % 5]);
    std::map<PodNumber, bool> in_queue;  // false: in flight
    Nanos now = 0;
    for (int step = 0; step < 400; ++step) {
      now += random.Below(2'000'000'000);
      const PodNumber pod = random.Below(30);
      switch (random.Below(7)) {
        case 0:
          if (!in_queue.contains(pod)) in_queue[pod] = true;
          queue.Add(pod, static_cast<std::int32_t>(random.Below(3)), now);
          break;
        case 1:
          if (const auto popped = queue.Pop(now)) {
            ASSERT_TRUE(in_queue.contains(*popped) && in_queue[*popped]) << seed;
            in_queue[*popped] = false;
          }
          break;
        case 2:
          queue.AddFailed(pod, 1u << random.Below(6), random.Chance(0.2), now);
          if (in_queue.contains(pod)) in_queue[pod] = true;
          break;
        case 3:
          queue.Remove(pod);
          in_queue.erase(pod);
          break;
        case 4:
          queue.MoveOnEvent(static_cast<PodEvent>(6 + random.Below(4)), now);
          break;
        case 5:
          queue.FlushBackoff(now);
          break;
        case 6:
          queue.FlushUnschedulable(now);
          break;
      }
      std::size_t queued = 0;
      for (const auto& [id, waiting] : in_queue) {
        ASSERT_EQ(queue.Where(id) != std::nullopt, waiting) << "seed " << seed << " pod " << id;
        queued += waiting;
      }
      ASSERT_EQ(queue.size(QueueName::kActive) + queue.size(QueueName::kBackoff) +
                    queue.size(QueueName::kUnschedulable),
                queued);
    }
    // What is left comes out once each.
    std::size_t left = 0;
    for (const auto& [id, waiting] : in_queue) left += waiting;
    queue.MoveOnEvent(PodEvent::kNodeAdd, now + 1000 * kSecond);
    queue.FlushUnschedulable(now + 1000 * kSecond);
    queue.FlushBackoff(now + 1000 * kSecond);
    std::size_t popped = 0;
    while (queue.Pop(now + 1000 * kSecond)) ++popped;
    EXPECT_EQ(popped, left) << seed;
  }
}

}  // namespace
}  // namespace schedlens::sim
