#pragma once

// Compares our queue's state with a recorded one, field by field.

#include <optional>
#include <string>
#include <vector>

#include "verify/nominator.h"
#include "verify/queue_log.h"
#include "verify/queue_state.h"

namespace schedlens::verify {

/// A pod that the scheduler took up and has not given back.
struct HeldAttempt {
  std::int64_t line = 0;  ///< of its Pop
  queue::PodUid uid = 0;
  queue::PodKey key = 0;
  queue::RecordId record = queue::kNone;
  /// The record as it came back; set if the flight goes on without it.
  std::optional<queue::Record> left;
};

class QueueCompare {
 public:
  QueueCompare(const queue::PriorityQueue& own, const Nominator& nominator,
               const TraceHeader& header, const TraceObjects& objects, QueueLog& log);

  /// `popped` are the pods that this line's Pop gave out, none for any other line: only then are
  /// the plugins of a record in flight the queue's.
  void Compare(const RecordedState& wanted, const std::vector<HeldAttempt>& attempts,
               const Keys& popped);

 private:
  void CompareLists(const RecordedState& wanted);
  void CompareHeap(const queue::PodHeap& heap, KeyList sorted, KeyList raw,
                   const RecordedState& wanted);
  void CompareKeys(KeyList list, const Keys& wanted, const Keys& got);
  void ComparePods(const RecordedState& wanted, const std::vector<HeldAttempt>& attempts,
                   const Keys& popped);
  void CompareGroups(const RecordedState& wanted);
  void ComparePod(const std::string& name, const RecordedPod& wanted, const queue::Record* got,
                  bool plugins);
  void CompareFlight(const RecordedState& wanted);
  void CompareNominated(const RecordedState& wanted);
  void CompareMetrics(const RecordedMetrics& wanted);
  void CompareNumber(std::int64_t wanted, std::int64_t got, const auto& name);
  void CompareEntries(const RecordedMetrics::ByLabel& wanted, queue::QueueMetrics::Counted what,
                      const char* metric, const std::string& type);
  // In each queue: entities, and pods, of which a group has many.
  struct Sizes {
    std::array<std::array<std::int64_t, kQueueNames.size()>, kEntityTypes.size()> entities{};
    std::array<std::int64_t, kQueueNames.size()> pods{};
  };
  Sizes OwnSizes() const;
  const queue::Record* OwnRecord(const RecordedPod& wanted,
                                 const std::vector<HeldAttempt>& attempts) const;
  std::string Text(const Keys& keys) const;
  std::string Text(queue::PluginSet plugins) const;
  std::string Text(const std::vector<RecordedFlight>& list) const;
  Keys SortedByText(Keys keys) const;

  const queue::PriorityQueue& own_;
  const Nominator& nominator_;
  const TraceHeader& header_;
  const TraceObjects& objects_;
  QueueLog& log_;
  std::array<KindCount*, kKeyLists.size()> list_counts_{};
  KindCount &pods_, &flight_, &nominated_, &cycles_, &metrics_;
  // The order of the heaps as last worked out.
  std::array<Keys, 3> heap_keys_, popped_keys_;
};

}  // namespace schedlens::verify
