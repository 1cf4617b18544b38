#include "cli/commands/serve_queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/commands/serve_folder.h"
#include "cli/commands/serve_state.h"
#include "cli/one_line.h"
#include "model/file.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostAlerts = 100'000;  ///< of all groups that wait
constexpr std::size_t kRemembered = 20'000;   ///< states that were reported
constexpr std::size_t kProbe = 64 * 1024;     ///< what must fit on the disk
constexpr std::size_t kLongestText = std::size_t{4} << 20;
constexpr std::chrono::seconds kFirstWait{5};
constexpr std::chrono::seconds kLongestWait{300};

[[noreturn]] void Fail(const std::string& what, const std::string& path) {
  throw Error(ErrorKind::kFailed, fmt::format("{} {}: {}", what, path, std::strerror(errno)));
}

std::uint64_t MillisecondsNow() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

constexpr std::string_view kTry = ".try";

/// `ID.json`, and `ID.try2.json` once the second try has begun.
std::string FileName(const std::string& id, int tries) {
  return id + (tries > 0 ? fmt::format("{}{}", kTry, tries) : "") + ".json";
}

/// A file's id and its tries.
std::pair<std::string, int> ReadName(const std::string& stem) {
  const std::size_t at = stem.rfind(kTry);
  int tries = 0;
  if (at == std::string::npos) return {stem, tries};
  const char* end = stem.data() + stem.size();
  const auto read = std::from_chars(stem.data() + at + kTry.size(), end, tries);
  if (read.ec != std::errc() || read.ptr != end || tries < 0) return {stem, 0};
  return {stem.substr(0, at), tries};
}

}  // namespace

WebhookQueue::WebhookQueue(const std::string& folder, std::size_t most,
                           const std::function<void(const std::string&)>& log)
    : folder_(folder),
      queue_(folder + "/queue"),
      failed_(folder + "/failed"),
      state_(folder + "/state.json"),
      most_(most) {
  OpenFolders();
  try {
    reported_order_ = ReadReported(state_);
  } catch (const Error& error) {
    log(fmt::format("{}; what was reported before may be reported again", error.what()));
  }
  reported_.insert(reported_order_.begin(), reported_order_.end());
  Recover();
}

/// Nothing to do where the folders are still those that we hold.
void WebhookQueue::OpenFolders() {
  const std::string path = queue_ + "/lock";
  struct stat held = {}, there = {};
  if (lock_ >= 0 && fstat(lock_, &held) == 0 && stat(path.c_str(), &there) == 0 &&
      held.st_ino == there.st_ino && held.st_dev == there.st_dev) {
    return;
  }
  MakeFolder(folder_);
  MakePrivateFolder(queue_);
  MakePrivateFolder(failed_);
  const int lock = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) Fail("writing", path);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    close(lock);
    throw Error(
        ErrorKind::kFailed,
        fmt::format("{}: another schedlens serves this folder: give another --out", folder_));
  }
  if (lock_ >= 0) close(lock_);
  lock_ = lock;
}

WebhookQueue::~WebhookQueue() { close(lock_); }

std::string WebhookQueue::ToldPath(const std::string& path) {
  const fs::path file(path);
  return (file.parent_path() / ReadName(file.stem()).first).string() + ".told";
}

/// What a process before this one took and did not finish.
void WebhookQueue::Recover() {
  std::vector<QueuedGroup> groups;
  for (const auto& entry : fs::directory_iterator(queue_)) {
    if (entry.path().extension() != ".json") continue;
    const auto [id, tries] = ReadName(entry.path().stem());
    groups.push_back({.id = id, .path = entry.path(), .group = {}, .tries = tries});
  }
  std::sort(groups.begin(), groups.end(), [](const QueuedGroup& a, const QueuedGroup& b) {
    return std::tie(a.tries, a.id) < std::tie(b.tries, b.id);
  });
  for (QueuedGroup& group : groups) {
    if (group.tries >= kMostTries) {
      MoveToFailures(group, fmt::format("no end after {} tries", group.tries));
      continue;
    }
    try {
      group.group = ReadAlertGroup(ReadFile(group.path, kLongestText));
    } catch (const Error& error) {
      MoveToFailures(group, error.what());
      continue;
    }
    if (IsKnown(group.group)) {  // reported by a process that ended then
      Remove(group);
      continue;
    }
    Add(std::move(group), Clock::now());
  }
}

/// Without the new name the old one stands: then only a count is lost.
void WebhookQueue::Rename(QueuedGroup* group, int tries) const {
  std::string path = fmt::format("{}/{}", queue_, FileName(group->id, tries));
  if (rename(group->path.c_str(), path.c_str()) == 0) group->path = std::move(path);
}

void WebhookQueue::Add(QueuedGroup group, Clock::time_point not_before) {
  for (const std::uint64_t state : group.group.states) ++held_[state];
  alerts_ += group.group.states.size();
  waiting_.push_back({std::move(group), not_before});
}

bool WebhookQueue::IsKnown(const AlertGroup& group) const {
  return std::all_of(group.states.begin(), group.states.end(), [&](std::uint64_t state) {
    return held_.contains(state) || reported_.contains(state);
  });
}

WebhookQueue::Offered WebhookQueue::Offer(const std::string& json, AlertGroup read) {
  QueuedGroup group;
  group.group = std::move(read);
  const std::lock_guard lock(mutex_);
  if (IsKnown(group.group)) {
    ++counts_.known;
    return Offered::kKnown;
  }
  if (waiting_.size() + counts_.running >= most_ || alerts_ >= kMostAlerts) {
    ++counts_.full;
    return Offered::kFull;
  }
  group.id = fmt::format("{:014}-{:06}-{:016x}", MillisecondsNow(), ++number_ % 1'000'000,
                         Digest(group.group.report));
  group.path = fmt::format("{}/{}", queue_, FileName(group.id, 0));
  OpenFolders();
  WriteFileAtomically(group.path, json);
  SyncFolder(queue_);
  Add(std::move(group), Clock::now());
  ++counts_.queued;
  changed_.notify_one();
  return Offered::kQueued;
}

std::list<WebhookQueue::Waiting>::iterator WebhookQueue::Ready(Clock::time_point now) {
  return std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
    const auto& alerts = one.group.group.alerts;
    return one.not_before <= now &&
           std::none_of(alerts.begin(), alerts.end(),
                        [&](std::uint64_t alert) { return running_.contains(alert); });
  });
}

/// When something that waits for its time may be ready.
WebhookQueue::Clock::time_point WebhookQueue::NextTime() const {
  const auto now = Clock::now();
  auto next = now + kLongestWait;
  for (const Waiting& one : waiting_) {
    if (one.not_before > now) next = std::min(next, one.not_before);
  }
  return next;
}

std::optional<QueuedGroup> WebhookQueue::Take() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stopped_) return std::nullopt;
    const auto found = Ready(Clock::now());
    if (found != waiting_.end()) {
      QueuedGroup group = std::move(found->group);
      Rename(&group, group.tries + 1);
      waiting_.erase(found);
      alerts_ -= group.group.states.size();
      running_.insert(group.group.alerts.begin(), group.group.alerts.end());
      ++counts_.running;
      return group;
    }
    changed_.wait_until(lock, NextTime());
  }
}

/// The text and the marks beside it.
void WebhookQueue::Remove(const QueuedGroup& group) {
  unlink(ToldPath(group.path).c_str());
  unlink(group.path.c_str());
}

void WebhookQueue::Remember(const AlertGroup& group) {
  for (const std::uint64_t state : group.states) {
    if (reported_.insert(state).second) reported_order_.push_back(state);
  }
  while (reported_order_.size() > kRemembered) {
    reported_.erase(reported_order_.front());
    reported_order_.pop_front();
  }
  WriteReported(state_, reported_order_);
}

void WebhookQueue::Forget(const AlertGroup& group) {
  for (const std::uint64_t state : group.states) {
    const auto held = held_.find(state);
    if (held != held_.end() && --held->second == 0) held_.erase(held);
  }
}

void WebhookQueue::Finish(const QueuedGroup& taken, Outcome outcome, const std::string& why) {
  const std::lock_guard lock(mutex_);
  --counts_.running;
  for (const std::uint64_t alert : taken.group.alerts) running_.erase(alert);
  Forget(taken.group);
  if (outcome == Outcome::kStopped) {
    QueuedGroup again = taken;
    Rename(&again, again.tries);
    Add(std::move(again), Clock::now() + kFirstWait);
  } else if (outcome == Outcome::kTryLater) {
    QueuedGroup again = taken;
    const auto wait = kFirstWait * (1 << std::min(again.tries++, 10));
    Add(std::move(again), Clock::now() + std::min<Clock::duration>(wait, kLongestWait));
  } else if (outcome == Outcome::kGivenUp) {
    ++counts_.given_up;
    changed_.notify_all();
    OpenFolders();
    MoveToFailures(taken, why);
  } else {
    ++counts_.reported;
    changed_.notify_all();
    OpenFolders();
    SyncFolder(folder_);
    Remember(taken.group);
    Remove(taken);
  }
  changed_.notify_all();
}

void WebhookQueue::MoveToFailures(const QueuedGroup& group, const std::string& why) const {
  const std::string target = fmt::format("{}/{}", failed_, group.id);
  unlink(ToldPath(group.path).c_str());
  WriteFileAtomically(target + ".txt", OneLine(why) + "\n");
  const bool moved = rename(group.path.c_str(), (target + ".json").c_str()) == 0;
  if (!moved && errno != ENOENT) Fail("moving", group.path);
}

void WebhookQueue::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

std::string WebhookQueue::Trouble() {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() + counts_.running >= most_) return "the queue is full";
  const std::string probe = queue_ + "/probe";
  try {
    OpenFolders();
    WriteFileAtomically(probe, std::string(kProbe, '\n'));
  } catch (const Error& error) {
    return error.what();
  }
  unlink(probe.c_str());
  return "";
}

QueueCounts WebhookQueue::counts() const {
  const std::lock_guard lock(mutex_);
  QueueCounts counts = counts_;
  counts.waiting = waiting_.size();
  return counts;
}

}  // namespace schedlens
