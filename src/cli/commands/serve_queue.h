#pragma once

// The notifications that wait for their report, and the folders they are kept in, which a power cut
// does not take back. Each is a file before it counts as taken, so that no end of the process loses
// one.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace schedlens {

/// Makes the folder and those above it that are missing; all of them are on disk when it returns.
/// Throws Error(kFailed) naming what cannot be made.
void MakeFolder(const std::string& path);
/// Removes the oldest reports of `serve` in the folder until `most` are left: files whose names end
/// with a dash, 16 hexadecimal digits and .html, .json or .txt; those that differ in the ending
/// alone are one report. Other files stay. What cannot be removed stays, without an error.
void KeepNewest(const std::string& folder, std::size_t most);

/// A notification of Alertmanager, as far as `serve` tells one from another.
struct AlertGroup {
  std::vector<std::uint64_t> alerts;  ///< digests of the fingerprints, sorted, each once
  /// Digests of fingerprint, start and state of each alert: what makes a notification a new one.
  std::vector<std::uint64_t> states;
  /// File name without ending: the alert, when it began, and a digest of the fingerprints. The same
  /// for all notifications of the same alerts.
  std::string report;
};

/// Reads the posted JSON. Throws Error(kFailed) when it is none, or holds no alert.
AlertGroup ReadAlertGroup(std::string_view json);

/// The states of alerts that were reported (see AlertGroup), the oldest first; none where there is
/// no such file. Throws Error(kFailed) naming the file where it is damaged.
std::deque<std::uint64_t> ReadReported(const std::string& path);

/// Whole or not at all, and on disk. Throws Error(kFailed).
void WriteReported(const std::string& path, const std::deque<std::uint64_t>& states);

struct QueuedGroup {
  std::string id;    ///< in the order of their coming
  std::string path;  ///< the posted text; its name holds the tries, for the next process
  AlertGroup group;
  int tries = 0;                                          ///< begun before this one
  std::chrono::steady_clock::time_point not_before = {};  ///< of this try
};

struct QueueCounts {
  std::size_t waiting = 0, running = 0;
  std::uint64_t queued = 0, known = 0, full = 0, reported = 0, given_up = 0;
};

/// For several threads that offer and that take.
class WebhookQueue {
 public:
  enum class Offered { kQueued, kKnown, kFull };
  enum class Outcome { kReported, kTryLater, kStopped, kGivenUp };
  using Clock = std::chrono::steady_clock;
  static constexpr int kMostTries = 10;

  /// Keeps `most` groups in `folder`/queue, what could not be reported in `folder`/failed, both
  /// for nobody else to read, and what was reported in `folder`/state.json. The folders are made,
  /// also when they are gone later. Takes up what is there, what was tried least first; what ended
  /// the process in each of its tries is given up. `log` is told of a damaged state, which counts
  /// as none. Throws Error(kFailed) when another process works there, and when it cannot be written
  /// to.
  WebhookQueue(
      const std::string& folder, std::size_t most,
      const std::function<void(const std::string&)>& log = [](const std::string&) {});
  ~WebhookQueue();
  WebhookQueue(const WebhookQueue&) = delete;
  WebhookQueue& operator=(const WebhookQueue&) = delete;

  /// kQueued only when the text is on disk; kKnown when each of its alerts waits, is being worked
  /// on or was reported in the same state. `group` is what ReadAlertGroup reads in `json`. Throws
  /// Error(kFailed) when the disk refuses it.
  Offered Offer(const std::string& json, AlertGroup group);

  /// The oldest group none of whose alerts is being worked on; waits for one. Nothing once the
  /// queue is stopped.
  std::optional<QueuedGroup> Take();
  /// What has become of a group that was taken. A later try waits 5 s, and each time twice as long,
  /// up to 5 minutes; a stopped try does not count; what is given up goes to the folder of failures
  /// with `why`; a report's name and its state are on disk before the posted text goes.
  void Finish(const QueuedGroup& taken, Outcome outcome, const std::string& why = "");

  void Stop();
  QueueCounts counts() const;
  /// Why nothing more can be taken: the queue is full, or what Error(kFailed) says of its folder.
  /// Empty when all is well. Writes there.
  std::string Trouble();

  /// Beside a posted text: whom its report was told already.
  static std::string ToldPath(const std::string& path);

 private:
  void OpenFolders();
  void Recover();
  void Add(QueuedGroup group);
  void Rename(QueuedGroup* group, int tries) const;
  bool IsKnown(const AlertGroup& group) const;
  static void Remove(const QueuedGroup& group);
  void Remember(const AlertGroup& group);
  void MoveToFailures(const QueuedGroup& group, const std::string& why) const;

  const std::string folder_, queue_, failed_, state_;
  const std::size_t most_;
  int lock_ = -1;
  std::uint64_t number_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::list<QueuedGroup> waiting_;
  std::unordered_map<std::uint64_t, int> held_;  ///< states of what waits or is worked on
  std::size_t alerts_ = 0;                       ///< of what waits
  std::unordered_set<std::uint64_t> running_;    ///< alerts that are being worked on
  std::unordered_set<std::uint64_t> reported_;   ///< states, the latest ones
  std::deque<std::uint64_t> reported_order_;
  QueueCounts counts_;
};

}  // namespace schedlens
