#pragma once

// One trace being replayed, line by line.

#include <optional>
#include <string>
#include <vector>

#include "verify/queue_compare.h"
#include "verify/queue_hints.h"
#include "verify/queue_host.h"

namespace schedlens::verify {

class QueueRun {
 public:
  /// `header` is the first line. Throws Error(kFailed) or Json::exception.
  QueueRun(const Json& header, QueueLog& log);
  QueueRun(const QueueRun&) = delete;
  QueueRun& operator=(const QueueRun&) = delete;

  /// Plays one operation and compares the state. Throws as the constructor.
  void Play(const Json& line);
  const std::string& release() const { return header_.release; }

 private:
  // Each runs one operation of the queue; see the table in the .cc file.
  void Add(const Json& line);
  void Update(const Json& line);
  void Delete(const Json& line);
  void Pop(const Json& line);
  void PopSpecific(const Json& line);
  void Done(const Json& line);
  void Return(const Json& line);
  void Activate(const Json& line);
  void Move(const Json& line);
  void AssignedAdded(const Json& line);
  void AssignedUpdated(const Json& line);
  void AddNominated(const Json& line);
  void UpdateNominated(const Json& line);
  void DeleteNominated(const Json& line);
  void PutGroup(const Json& line);
  void DeleteGroup(const Json& line);
  void AddAttempted(const Json& line);
  void FlushBackoff(const Json& line);
  void FlushLeftover(const Json& line);
  void Run(const Json& line);

  void ComparePopped(const Json& line, queue::RecordId got);
  queue::EventInstance EventOf(const Json& line);
  /// The attempt that a line ends; end() if there is none.
  std::vector<HeldAttempt>::iterator FindAttempt(const Json& line, queue::PodUid uid);

  TraceObjects objects_;
  TraceHeader header_;
  QueueLog& log_;
  TraceSpecs specs_;
  TraceHost host_;
  queue::PriorityQueue queue_;
  QueueCompare compare_;
  QueueHints hints_;
  RecordedState wanted_;
  std::vector<HeldAttempt> attempts_;
  KindCount &popped_count_, &error_count_;
  Nanos now_ = 0;
  std::vector<queue::PodKey> popped_;  // by this line, also those of a group
};

}  // namespace schedlens::verify
