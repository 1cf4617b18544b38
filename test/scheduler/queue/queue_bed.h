#pragma once

// A queue by hand: its host answers what a test set, its pods are numbers.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "scheduler/queue/priority_queue.h"

namespace schedlens::sim::queue {

inline constexpr PluginId kFit = 0, kGates = 1, kVolumes = 2;
inline constexpr Resource kNode = kFirstOwnResource;
inline constexpr std::uint32_t kAdd = 1, kDelete = 2, kUpdateNodeLabel = 8, kUpdatePodLabel = 128;
inline constexpr LabelId kNodeAdd = kFirstOwnLabel, kOther = kFirstOwnLabel + 1;

// Answers with what a test set.
class FakeHost : public QueueHost {
 public:
  bool HintQueues(const PodVersion& pod, PluginId, const Registration&, const EventInstance&,
                  std::size_t) override {
    ++hints_asked;
    return skips.count(pod.key) == 0;
  }
  PluginId PreEnqueue(const PodVersion& pod, PluginId) override {
    ++pre_enqueue_asked;
    return gated.count(pod.key) > 0 ? kGates : kNoPlugin;
  }
  void ForgetNomination(PodUid uid) override { forgotten.insert(uid); }
  void Nominate(const PodVersion& pod) override { nominated.insert(pod.key); }
  bool AffinitySelects(const PodVersion& waiting, const PodVersion&, bool) override {
    return selected.count(waiting.key) > 0;
  }
  bool Differs(const PodVersion& old, const PodVersion& pod) override {
    return old.object != pod.object;
  }

  std::set<PodKey> skips, gated, selected, forgotten, nominated;
  int hints_asked = 0;
  int pre_enqueue_asked = 0;
};

struct Bed {
  explicit Bed(int minor) : Bed(minor, DefaultGates(minor)) {}
  Bed(int minor, const QueueGates& gates, const PriorityQueueSettings& settings = {})
      : queue(QueueRules{minor, gates}, settings, host) {
    queue.Register(kFit, {kNode, kAdd | kUpdateNodeLabel, 0});
    queue.Register(kFit, {kPod, kDelete, 1});
    queue.Register(kGates, {kPod, kUpdatePodLabel, 2});
  }

  static PodVersion Pod(PodKey key, std::int32_t priority = 0) {
    return {key, key, key + 1, priority, 0};
  }
  void Add(PodKey key, Nanos now = 0, std::int32_t priority = 0) {
    queue.Add(Pod(key, priority), now);
  }
  // Pops the next pod, which must be this one.
  RecordId Pop(PodKey key, Nanos now) {
    const RecordId id = queue.Pop(now);
    EXPECT_NE(id, kNone);
    if (id == kNone) return queue.Adopt(Pod(key), 0, now);
    EXPECT_EQ(queue.At(id).pod.key, key);
    return id;
  }
  void Fail(RecordId id, PluginSet by, Nanos now, PluginSet pending = 0) {
    const PodVersion pod = queue.At(id).pod;
    EXPECT_EQ(
        queue.AddUnschedulableIfNotPresent(id, pod, by, pending, queue.scheduling_cycle(), now),
        Refusal::kAccepted);
  }
  void FailAll(std::vector<PodKey> keys, PluginSet by, Nanos now) {
    for (const PodKey key : keys) Fail(Pop(key, now), by, now);
  }
  EventInstance NodeAdded() const { return {{kNode, kAdd, kNodeAdd, false}, 0, 99, kNone}; }
  std::string Places() const {
    std::string out;
    for (const auto& [name, place] : {std::pair{'a', Place::kActive},
                                      {'b', Place::kBackoff},
                                      {'e', Place::kErrorBackoff},
                                      {'u', Place::kUnschedulable}}) {
      for (PodKey key = 0; key < 8; ++key) {
        if (queue.Find(place, key) != kNone) out += name + std::to_string(key) + " ";
      }
    }
    return out;
  }

  FakeHost host;
  PriorityQueue queue;
};

}  // namespace schedlens::sim::queue
