// Pod groups as entities of the scheduling queue (1.37). test/verify replays recorded runs.

#include <gtest/gtest.h>

#include <vector>

#include "scheduler/queue/queue_bed.h"

namespace schedlens::sim::queue {
namespace {

// Pods 0 and 1 of the group with the key 7.
constexpr PodKey kGroup = 7;

struct GroupBed : Bed {
  GroupBed() : Bed(37, {true, true, true}) {}

  static PodVersion Member(PodKey key, std::int32_t priority = 0) {
    PodVersion pod = Pod(key, priority);
    pod.group = kGroup;
    return pod;
  }
  RecordId PopGroup(Nanos now) {
    const RecordId id = queue.Pop(now);
    EXPECT_NE(id, kNone);
    EXPECT_EQ(queue.At(id).pod.key, kGroup);
    return id;
  }
  void FailMember(RecordId id, Nanos now) {
    queue.AddUnschedulableIfNotPresent(id, queue.At(id).pod, SetOf(kFit), 0, 1, now);
  }
  void End(GroupOutcome outcome, Nanos now) {
    queue.AddAttemptedPodGroupIfNeeded(kGroup, outcome, now);
  }
};

TEST(PodGroups, PodsWaitForTheirGroupAndEnterAsOne) {
  GroupBed bed;
  bed.queue.Add(GroupBed::Member(0), 1);
  bed.queue.Add(GroupBed::Member(1, 5), 2);
  EXPECT_EQ(bed.Places(), "");
  EXPECT_EQ(bed.queue.waiting().size(), 2u);
  bed.queue.PutPodGroup(Bed::Pod(kGroup), 3);
  EXPECT_EQ(bed.Places(), "a7 ");
  EXPECT_EQ(bed.queue.waiting().size(), 0u);
  // One entity, of pods that entered twice.
  EXPECT_EQ(bed.queue.metrics().Incoming(0, kPodAdded), 3u);
  EXPECT_EQ(bed.queue.metrics().Incoming(0, kPodAdded, QueueMetrics::kGroups), 1u);
  const Record& group = bed.queue.At(bed.PopGroup(4));
  EXPECT_EQ(group.timestamp, 1);
  ASSERT_EQ(group.members.size(), 2u);
  EXPECT_EQ(bed.queue.At(group.members[0]).pod.key, 1u) << "the higher priority first";
  EXPECT_EQ(bed.queue.in_flight().pods(), 2u);
}

TEST(PodGroups, OnePodKeptOutKeepsOutAll) {
  GroupBed bed;
  bed.queue.PutPodGroup(Bed::Pod(kGroup), 0);
  bed.host.gated = {0};
  bed.queue.Add(GroupBed::Member(0), 1);
  bed.queue.Add(GroupBed::Member(1), 2);
  EXPECT_EQ(bed.Places(), "u7 ");
  EXPECT_EQ(bed.queue.metrics().gated, 2);
  bed.host.gated = {};
  const PodVersion pod = GroupBed::Member(0);
  const EventInstance event{{kUnschedulablePod, kUpdatePodLabel, kOther, false}, 1, 50, 0};
  bed.queue.Update(pod, pod, {&event, 1}, 3);
  EXPECT_EQ(bed.Places(), "a7 ");
  EXPECT_EQ(bed.queue.metrics().gated, 0);
}

TEST(PodGroups, FailedPodsWaitForTheEndOfTheirGroupsCycle) {
  for (const GroupOutcome outcome :
       {GroupOutcome::kSuccess, GroupOutcome::kUnschedulable, GroupOutcome::kError}) {
    GroupBed bed;
    bed.queue.PutPodGroup(Bed::Pod(kGroup), 0);
    for (const PodKey key : {0, 1}) bed.queue.Add(GroupBed::Member(key), 1);
    const std::vector<RecordId> pods = bed.queue.At(bed.PopGroup(2)).members;
    bed.FailMember(pods[0], 3);
    EXPECT_EQ(bed.Places(), "");
    EXPECT_EQ(bed.queue.waiting().size(), 1u);
    bed.End(outcome, 4);
    bed.queue.Done(1);
    EXPECT_EQ(bed.queue.waiting().size(), 0u);
    EXPECT_EQ(bed.Places(), outcome == GroupOutcome::kSuccess ? "a7 " : "e7 ");
    if (outcome == GroupOutcome::kSuccess) continue;
    const Record& group = bed.queue.At(bed.queue.Find(Place::kErrorBackoff, kGroup));
    EXPECT_EQ(group.consecutive_errors, outcome == GroupOutcome::kError ? 1 : 0);
    EXPECT_EQ(group.unschedulable_count, outcome == GroupOutcome::kError ? 0 : 1);
    EXPECT_EQ(group.members.size(), 1u);
  }
}

TEST(PodGroups, TheMaximumOfTheBackoffGrowsWithTheRootOfTheSize) {
  const Backoff backoff(QueueRules{37, DefaultGates(37)}, {});
  Record record;
  record.unschedulable_count = 9;
  EXPECT_EQ(backoff.LengthOf(record), 10 * kSecond);
  record.members = {1, 2, 3, 4};
  EXPECT_EQ(backoff.LengthOf(record), 20 * kSecond);
}

TEST(PodGroups, AGroupThatGoesLeavesItsPodsIncomplete) {
  GroupBed bed;
  bed.queue.PutPodGroup(Bed::Pod(kGroup), 0);
  for (const PodKey key : {0, 1}) bed.queue.Add(GroupBed::Member(key), 1);
  bed.queue.DeletePodGroup(Bed::Pod(kGroup));
  EXPECT_EQ(bed.Places(), "");
  EXPECT_EQ(bed.queue.waiting().size(), 2u);
  bed.queue.Delete(GroupBed::Member(0));
  EXPECT_EQ(bed.queue.waiting().size(), 1u);
  bed.queue.PutPodGroup(Bed::Pod(kGroup, 7), 2);
  EXPECT_EQ(bed.Places(), "a7 ");
  bed.queue.Delete(GroupBed::Member(1));
  EXPECT_EQ(bed.Places(), "");
  EXPECT_EQ(bed.queue.Pop(3), kNone);
}

TEST(PodGroups, WithoutTheGateAPodIsQueuedAlone) {
  Bed bed(37);
  bed.queue.Add(GroupBed::Member(0), 1);
  EXPECT_EQ(bed.Places(), "a0 ");
}

}  // namespace
}  // namespace schedlens::sim::queue
