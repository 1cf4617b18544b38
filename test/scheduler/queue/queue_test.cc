// The scheduling queue by hand: one rule a test, by release. test/verify replays recorded runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "scheduler/queue/queue_bed.h"

namespace schedlens::sim::queue {
namespace {

using testing::ElementsAre;

TEST(PodHeap, MovesElementsAsContainerHeapDoes) {
  Records records(6);
  PodHeap heap(records, Place::kActive, ActiveLess);
  for (RecordId id = 0; id < 6; ++id) {
    records[id].pod = {id, id, 0, id == 3 ? 5 : 0, 0};
    heap.Put(id);
  }
  EXPECT_THAT(heap.items(), ElementsAre(3, 0, 2, 1, 4, 5));
  EXPECT_EQ(heap.Remove(0), 0u);
  EXPECT_THAT(heap.items(), ElementsAre(3, 5, 2, 1, 4));
  EXPECT_EQ(heap.Remove(0), kNone);
  records[4].pod.priority = 9;
  heap.Fix(4);
  EXPECT_THAT(heap.items(), ElementsAre(4, 3, 2, 1, 5));
  std::vector<RecordId> popped;
  while (!heap.empty()) popped.push_back(heap.Pop());
  EXPECT_THAT(popped, ElementsAre(4, 3, 1, 2, 5));
}

TEST(PodHeap, ARecordOfTheSamePodTakesTheOthersPlace) {
  Records records(3);
  PodHeap heap(records, Place::kBackoff, ExpiryLess);
  for (RecordId id = 0; id < 3; ++id) records[id].pod.key = id == 2 ? 0 : id;
  records[0].expiry = 1;
  records[1].expiry = 2;
  records[2].expiry = 3;
  EXPECT_EQ(heap.Put(0), kNone);
  EXPECT_EQ(heap.Put(1), kNone);
  EXPECT_EQ(heap.Put(2), 0u);
  EXPECT_THAT(heap.items(), ElementsAre(1, 2));
  EXPECT_FALSE(records[0].In(Place::kBackoff));
  EXPECT_EQ(heap.Find(0), 2u);
}

TEST(Backoff, LengthsByRelease) {
  const struct {
    int minor, attempts, rejections, errors;
    Nanos seconds;
  } rows[] = {
      {36, 5, 0, 0, 0},  {36, 5, 1, 0, 1},  {36, 5, 3, 0, 4}, {36, 5, 3, 1, 1},
      {36, 9, 0, 9, 10}, {33, 0, 0, 0, 0},  {33, 3, 1, 0, 4}, {32, 4, 0, 0, 8},
      {30, 0, 0, 0, 1},  {30, 5, 0, 0, 10}, {20, 1, 0, 0, 1}, {20, 2, 0, 0, 2},
  };
  for (const auto& row : rows) {
    const Backoff backoff(QueueRules{row.minor, DefaultGates(row.minor)}, {});
    Record record;
    record.attempts = row.attempts;
    record.unschedulable_count = row.rejections;
    record.consecutive_errors = row.errors;
    EXPECT_EQ(backoff.LengthOf(record), row.seconds * kSecond)
        << "1." << row.minor << " " << row.attempts;
  }
}

TEST(Backoff, AMaximumOfZeroSwitchesItOff) {
  Record record;
  for (const auto& [minor, attempts, seconds] :
       {std::tuple{36, 1, 0}, {36, 4, 0}, {32, 1, 1}, {32, 2, 0}, {26, 1, 1}, {26, 3, 0}}) {
    record.attempts = record.unschedulable_count = attempts;
    const Backoff backoff(QueueRules{minor, DefaultGates(minor)}, {kSecond, 0, 0});
    EXPECT_EQ(backoff.LengthOf(record), seconds * kSecond) << minor << " " << attempts;
  }
}

// Back-off 1 s from 0.4 s on, the clock's 0 at 0.25 s of wall time.
TEST(Backoff, EndsAtWholeSecondsOfWallTimeWhilePodsArePoppedEarly) {
  Record record;
  record.timestamp = 400 * kMillisecond;
  record.unschedulable_count = record.attempts = 1;
  const BackoffSettings settings{kSecond, 10 * kSecond, 250 * kMillisecond};
  const Backoff cut(QueueRules{36, {true, true}}, settings);
  record.expiry = cut.ExpiryOf(record);
  EXPECT_EQ(record.expiry, 750 * kMillisecond);
  EXPECT_TRUE(cut.BacksOff(record, 1749 * kMillisecond));
  EXPECT_FALSE(cut.BacksOff(record, 1750 * kMillisecond));
  for (const int minor : {36, 32}) {
    const Backoff plain(QueueRules{minor, {true, false}}, settings);
    record.expiry = plain.ExpiryOf(record);
    EXPECT_EQ(record.expiry, 1400 * kMillisecond);
    EXPECT_EQ(plain.BacksOff(record, 1400 * kMillisecond), minor == 36);
    EXPECT_FALSE(plain.BacksOff(record, 1401 * kMillisecond));
  }
}

TEST(PriorityQueue, PopsByPriorityThenAge) {
  Bed bed(36);
  bed.Add(0, 0);
  bed.Add(1, 1);
  bed.Add(2, 2, 7);
  bed.Pop(2, 3);
  bed.Pop(0, 3);
  bed.Pop(1, 3);
  EXPECT_EQ(bed.queue.Pop(3), kNone);
  EXPECT_EQ(bed.queue.scheduling_cycle(), 3);
}

TEST(PriorityQueue, AnErrorBacksOffOrIsParkedByRelease) {
  for (const auto& [minor, places] :
       {std::pair{20, "u0 "}, {26, "u0 "}, {30, "b0 "}, {32, "b0 "}, {33, "e0 "}, {36, "e0 "}}) {
    Bed bed(minor);
    bed.Add(0);
    bed.Fail(bed.Pop(0, 0), 0, 0);
    EXPECT_EQ(bed.Places(), places) << minor;
  }
}

TEST(PriorityQueue, OnlyRejectedPodsArePoppedEarly) {
  for (const int minor : {32, 33, 36}) {
    Bed bed(minor);
    bed.Add(0);
    bed.Add(1);
    const RecordId first = bed.Pop(0, 0), second = bed.Pop(1, 0);
    bed.queue.Move(bed.NodeAdded(), nullptr, 1);
    bed.Fail(first, 0, 2);
    bed.Fail(second, SetOf(kFit), 2);
    EXPECT_EQ(bed.Places(), minor == 32 ? "b0 b1 " : "b1 e0 ") << minor;
    const RecordId id = bed.queue.Pop(3);
    EXPECT_EQ(id != kNone, minor >= 33) << minor;
    EXPECT_EQ(bed.queue.metrics().Incoming(0, kPopFromBackoff), minor >= 33 ? 1u : 0u);
    EXPECT_EQ(bed.queue.Pop(3), kNone);
  }
}

TEST(PriorityQueue, AnEventWhileInFlightCountsFromItsHintsOrFromTheLastPop) {
  for (const bool hints : {false, true}) {
    Bed bed(30, {hints, false});
    bed.Add(0);
    bed.Add(1);
    const RecordId first = bed.Pop(0, 0);
    bed.queue.Move(bed.NodeAdded(), nullptr, 1);
    bed.Pop(1, 2);
    bed.Fail(first, SetOf(kFit), 3);
    // With two counters the second Pop makes the first attempt forget the event.
    EXPECT_EQ(bed.Places(), hints ? "b0 " : "u0 ");
  }
}

TEST(PriorityQueue, AHintKeepsAPodWhereItIs) {
  Bed bed(36);
  bed.Add(0);
  bed.Add(1);
  bed.FailAll({0, 1}, SetOf(kFit), 0);
  bed.host.skips = {0};
  bed.queue.Move(bed.NodeAdded(), nullptr, kMillisecond);
  EXPECT_EQ(bed.Places(), "b1 u0 ");
  EXPECT_EQ(bed.host.hints_asked, 2);
  EXPECT_EQ(bed.queue.metrics().Incoming(1, kNodeAdd), 1u);
}

TEST(PriorityQueue, APendingPluginSkipsTheBackoff) {
  Bed bed(36);
  bed.Add(0);
  bed.Fail(bed.Pop(0, 0), 0, 0, SetOf(kFit));
  bed.queue.Move(bed.NodeAdded(), nullptr, 1);
  EXPECT_EQ(bed.Places(), "a0 ");
}

TEST(PriorityQueue, OnlyPluginsThatRegisteredAreWoken) {
  for (const auto& [minor, places] : {std::pair{21, "b0 "}, {22, "u0 "}, {36, "u0 "}}) {
    Bed bed(minor);
    bed.Add(0);
    bed.Fail(bed.Pop(0, 0), SetOf(kVolumes), 0);
    bed.queue.Move(bed.NodeAdded(), nullptr, 1);
    EXPECT_EQ(bed.Places(), places) << minor;
  }
}

TEST(PriorityQueue, AnEventNobodyRegisteredForIsNone) {
  for (const int minor : {26, 30, 36}) {
    Bed bed(minor);
    bed.Add(0);
    bed.Pop(0, 0);
    bed.queue.Move({{kNode, 64, kOther, false}, 0, 0, kNone}, nullptr, 1);
    EXPECT_EQ(bed.queue.move_request_cycle(), minor == 26 ? 1 : -1) << minor;
    EXPECT_EQ(bed.queue.in_flight().entries().size(), minor == 36 ? 1u : 0u) << minor;
  }
}

TEST(PriorityQueue, ABroadUpdateDoesNotMatchANarrowRegistration) {
  for (const auto& [minor, moved] : {std::pair{32, true}, {36, false}}) {
    Bed bed(minor);
    bed.Add(0);
    bed.Fail(bed.Pop(0, 0), SetOf(kFit), 0);
    bed.queue.Move({{kNode, 0xfffc, kOther, false}, 0, 0, kNone}, nullptr, 1);
    EXPECT_EQ(bed.Places() == "b0 ", moved) << minor;
  }
}

TEST(PriorityQueue, GatedPodsWaitUntilTheirGateIsGone) {
  for (const int minor : {27, 30, 32, 34, 36}) {
    Bed bed(minor);
    bed.host.gated = {0};
    bed.Add(0);
    EXPECT_EQ(bed.Places(), "u0 ") << minor;
    EXPECT_EQ(bed.queue.metrics().gated, 1);
    EXPECT_EQ(bed.queue.metrics().rejected_by[kGates], 1);
    bed.queue.FlushUnschedulableLeftover(301 * kSecond);
    EXPECT_EQ(bed.Places(), "u0 ") << minor;
    bed.host.gated = {};
    const PodVersion old = Bed::Pod(0);
    PodVersion pod = old;
    pod.object = 50;
    const EventInstance event{{kUnschedulablePod, kUpdatePodLabel, kOther, false}, 1, 50, 0};
    bed.queue.Update(old, pod, {&event, 1}, 302 * kSecond);
    EXPECT_EQ(bed.Places(), "a0 ") << minor;
    EXPECT_EQ(bed.queue.metrics().gated, 0);
    const RecordId id = bed.Pop(0, 303 * kSecond);
    EXPECT_EQ(bed.queue.At(id).initial_attempt, minor == 27 ? 0 : 302 * kSecond) << minor;
  }
}

TEST(PriorityQueue, LeftoversAreRetriedAfterTheirTime) {
  for (const auto& [minor, seconds] : {std::pair{20, 60}, {23, 60}, {24, 300}, {36, 300}}) {
    PriorityQueueSettings settings;
    settings.leftover_after = QueueRules{minor, DefaultGates(minor)}.leftover_after();
    Bed bed(minor, DefaultGates(minor), settings);
    bed.Add(0);
    bed.Fail(bed.Pop(0, 0), SetOf(kVolumes), 0);
    bed.queue.FlushUnschedulableLeftover(seconds * kSecond);
    EXPECT_EQ(bed.Places(), "u0 ") << minor;
    bed.queue.FlushUnschedulableLeftover(seconds * kSecond + 1);
    EXPECT_EQ(bed.Places(), "a0 ") << minor;
    EXPECT_EQ(bed.queue.metrics().Incoming(0, kUnschedulableTimeout), 1u);
  }
}

TEST(PriorityQueue, TheFlushEmptiesBackoffThenErrors) {
  Bed bed(36);
  for (const PodKey key : {0, 1, 2}) bed.Add(key, key);
  const RecordId first = bed.Pop(0, 3), second = bed.Pop(1, 3), third = bed.Pop(2, 3);
  bed.queue.Move(bed.NodeAdded(), nullptr, 3);
  bed.Fail(first, 0, 4);
  bed.Fail(second, SetOf(kFit), 4);
  bed.Fail(third, SetOf(kVolumes), 4);
  EXPECT_EQ(bed.Places(), "b1 e0 u2 ");
  bed.queue.FlushBackoffCompleted(kSecond);
  EXPECT_EQ(bed.Places(), "b1 e0 u2 ");
  const int asked = bed.host.pre_enqueue_asked;
  bed.queue.FlushBackoffCompleted(2 * kSecond);
  EXPECT_EQ(bed.Places(), "a0 a1 u2 ");
  EXPECT_EQ(bed.host.pre_enqueue_asked, asked);
  EXPECT_THAT(bed.queue.active().items(), ElementsAre(second, first));
}

TEST(PriorityQueue, AnActivatedPodDoesNotWait) {
  Bed bed(36);
  bed.Add(0);
  bed.Add(1);
  const RecordId flying = bed.Pop(0, 0);
  bed.Fail(bed.Pop(1, 0), 0, 0);
  const PodVersion pods[] = {Bed::Pod(1), Bed::Pod(0), Bed::Pod(7)};
  bed.queue.Activate(pods, 1);
  EXPECT_EQ(bed.Places(), "a1 ");
  EXPECT_EQ(bed.queue.metrics().Incoming(0, kForceActivate), 1u);
  // For the pod in flight it is an event of its own.
  bed.Fail(flying, SetOf(kVolumes), 2);
  EXPECT_EQ(bed.Places(), "a1 b0 ");
}

TEST(PriorityQueue, ASecondCopyOfAPodInFlightIsDropped) {
  for (const int minor : {30, 36}) {
    Bed bed(minor);
    bed.Add(0);
    bed.Pop(0, 0);
    bed.Add(0, 1);
    const RecordId second = bed.queue.Pop(2);
    EXPECT_EQ(second != kNone, minor == 30) << minor;
    EXPECT_EQ(bed.queue.scheduling_cycle(), minor == 30 ? 2 : 1);
  }
}

TEST(PriorityQueue, AReturnIsRefusedWhereThePodIsQueuedAlready) {
  Bed bed(36);
  bed.Add(0);
  const RecordId id = bed.Pop(0, 0);
  bed.Add(0, 1);
  EXPECT_EQ(bed.queue.AddUnschedulableIfNotPresent(id, Bed::Pod(0), SetOf(kFit), 0, 1, 2),
            Refusal::kInActive);
  EXPECT_EQ(bed.queue.in_flight().pods(), 0u);
  EXPECT_EQ(bed.Places(), "a0 ");
}

TEST(PriorityQueue, AnUpdateInPlaceReordersByPriority) {
  Bed bed(36);
  bed.Add(0, 0);
  bed.Add(1, 1);
  bed.queue.Update(Bed::Pod(1), Bed::Pod(1, 5), {}, 2);
  bed.Pop(1, 3);
  // In flight, then unknown: an unknown pod is added.
  bed.queue.Update(Bed::Pod(1), Bed::Pod(1, 6), {}, 4);
  EXPECT_EQ(bed.Places(), "a0 ");
  bed.queue.Update(Bed::Pod(4), Bed::Pod(4), {}, 4);
  EXPECT_EQ(bed.Places(), "a0 a4 ");
  EXPECT_EQ(bed.queue.metrics().Incoming(0, kPodUpdated), 1u);
}

TEST(PriorityQueue, DeleteForgetsThePodAndItsNomination) {
  Bed bed(36);
  bed.Add(0);
  bed.queue.Delete(Bed::Pod(0));
  EXPECT_EQ(bed.Places(), "");
  EXPECT_THAT(bed.host.forgotten, ElementsAre(0));
  EXPECT_EQ(bed.queue.Pop(2), kNone);
}

TEST(PriorityQueue, DeletingAPodLowersTheGaugeWhereverItWaitsFrom1_37) {
  for (const int minor : {36, 37}) {
    Bed bed(minor);
    bed.Add(0);
    const RecordId flying = bed.Pop(0, 0);
    bed.queue.Move(bed.NodeAdded(), nullptr, 0);
    bed.Fail(flying, SetOf(kFit), 0);
    EXPECT_EQ(bed.Places(), "b0 ");
    bed.queue.Delete(Bed::Pod(0));
    EXPECT_EQ(bed.queue.metrics().rejected_by[kFit], minor == 37 ? 0 : 1);
    EXPECT_EQ(bed.queue.move_request_cycle(), minor == 37 ? -1 : 1);
  }
}

TEST(PriorityQueue, ALeftoverFlushStartsTheTimeAnewFrom1_37) {
  for (const int minor : {36, 37}) {
    Bed bed(minor);
    bed.host.gated = {0};
    bed.Add(0);
    const int asked = bed.host.pre_enqueue_asked;
    bed.queue.FlushUnschedulableLeftover(301 * kSecond);
    EXPECT_EQ(bed.Places(), "u0 ");
    EXPECT_EQ(bed.host.pre_enqueue_asked - asked, minor == 37 ? 1 : 0);
    const Record& record = bed.queue.At(bed.queue.Find(Place::kUnschedulable, 0));
    EXPECT_EQ(record.flushed, minor == 37 ? 301 * kSecond : kNever);
    EXPECT_EQ(record.was_flushed, minor == 36);
    bed.queue.FlushUnschedulableLeftover(330 * kSecond);
    EXPECT_EQ(bed.queue.metrics().Incoming(2, kUnschedulableTimeout), minor == 37 ? 1u : 0u);
  }
}

TEST(PriorityQueue, AnUnknownUpdateIsAnAddFrom1_37) {
  Bed bed(37);
  bed.queue.Update(Bed::Pod(4), Bed::Pod(4), {}, 4);
  EXPECT_EQ(bed.Places(), "a4 ");
  EXPECT_EQ(bed.queue.metrics().Incoming(0, kPodAdded), 1u);
  EXPECT_EQ(bed.queue.metrics().Incoming(0, kPodUpdated), 0u);
}

TEST(PriorityQueue, OnlyFrom1_37IsAGatedPodNominated) {
  for (const int minor : {36, 37}) {
    Bed bed(minor);
    bed.host.gated = {0};
    bed.Add(0);
    bed.Add(1);
    EXPECT_EQ(bed.host.nominated.count(0), minor == 37 ? 1u : 0u);
    EXPECT_EQ(bed.host.nominated.count(1), 1u);
  }
}

// Where the verdict on an event sends it, an entry is counted among the pods only.
TEST(PriorityQueue, EntitiesLeaveOutWhatWasJudged) {
  Bed bed(37);
  bed.Add(0);
  bed.Fail(bed.Pop(0, 0), SetOf(kFit), 0);
  bed.queue.Move(bed.NodeAdded(), nullptr, 1);
  EXPECT_EQ(bed.Places(), "b0 ");
  bed.queue.FlushBackoffCompleted(5 * kSecond);
  EXPECT_EQ(bed.Places(), "a0 ");
  const QueueMetrics& metrics = bed.queue.metrics();
  EXPECT_EQ(metrics.Incoming(2, kAttemptFailure), 1u);
  EXPECT_EQ(metrics.Incoming(2, kAttemptFailure, QueueMetrics::kSinglePods), 0u);
  EXPECT_EQ(metrics.Incoming(1, kNodeAdd), 1u);
  EXPECT_EQ(metrics.Incoming(1, kNodeAdd, QueueMetrics::kSinglePods), 0u);
  EXPECT_EQ(metrics.Incoming(0, kBackoffComplete, QueueMetrics::kSinglePods), 1u);
}

TEST(PriorityQueue, AssignedPodsWakeThoseWithAMatchingTerm) {
  Bed bed(30);
  for (const PodKey key : {0, 1}) bed.Add(key, key);
  bed.FailAll({0, 1}, 0, 2);
  bed.queue.FlushBackoffCompleted(5 * kSecond);
  for (const PodKey key : {0, 1}) bed.Fail(bed.Pop(key, 6 * kSecond), SetOf(kFit), 6 * kSecond);
  bed.host.selected = {1};
  bed.queue.Register(kFit, {kPod, kAdd, 3});
  bed.queue.AssignedPodUpdated(Bed::Pod(5), {{kPod, kAdd, kOther, false}, 0, 6, 5}, 7 * kSecond);
  EXPECT_EQ(bed.Places(), "b1 u0 ");
}

TEST(InFlightList, KeepsEventsBehindTheOldestPod) {
  InFlightList list;
  const PodVersion first{0, 0, 0, 0, 0}, second{1, 1, 0, 0, 0};
  list.AddPod(first);
  list.AddEvent({});
  list.AddPod(second);
  list.AddEvent({});
  EXPECT_EQ(list.entries().size(), 4u);
  list.Done(1);
  EXPECT_EQ(list.entries().size(), 3u);
  list.Done(1);
  list.Done(7);
  EXPECT_EQ(list.pods(), 1u);
  list.Done(0);
  EXPECT_EQ(list.entries().size(), 0u);
}

}  // namespace
}  // namespace schedlens::sim::queue
