#include <fcntl.h>
#include <re2/re2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "cli/commands/serve.h"
#include "cli/safe_stream.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostAlerts = 100'000;  ///< of all groups that wait
constexpr std::size_t kRemembered = 20'000;   ///< states that were reported
constexpr std::size_t kProbe = 64 * 1024;     ///< what must fit on the disk
constexpr std::size_t kLongestText = std::size_t{4} << 20;
constexpr std::chrono::seconds kFirstWait{5};
constexpr std::chrono::seconds kLongestWait{300};
constexpr std::size_t kLongestState = std::size_t{16} << 20;
constexpr std::size_t kLongestName = 60;

[[noreturn]] void Fail(const std::string& what, const std::string& path,
                       const std::string& why = std::strerror(errno)) {
  Raise(ErrorKind::kFailed, "{} {}: {}", what, path, why);
}

/// What every file system and shell takes as a name, and no command as an option.
std::string FileName(std::string_view text) {
  static const RE2 kOther("[^A-Za-z0-9_]", RE2::Latin1);
  std::string name(text.substr(0, kLongestName));
  RE2::GlobalReplace(&name, kOther, "-");
  name.erase(0, name.find_first_not_of('-'));
  return name.empty() ? "alert" : name;
}

/// FNV-1a, 64 bits: tells texts of any length apart in little memory.
std::uint64_t Digest(std::string_view text) {
  std::uint64_t digest = 14695981039346656037U;
  for (const char c : text) {
    digest ^= static_cast<unsigned char>(c);
    digest *= 1099511628211U;
  }
  return digest;
}

template <class T>
void SortOnce(std::vector<T>* values) {
  std::ranges::sort(*values);
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

/// `ID.json`, and `ID.try2.json` once the second try has begun.
std::string QueuedName(const std::string& id, int tries) {
  return id + (tries > 0 ? fmt::format(".try{}", tries) : "") + ".json";
}

std::pair<std::string, int> ReadName(const std::string& stem) {
  static const RE2 kTried("(?s)(.*)\\.try(\\d+)", RE2::Latin1);
  std::string id;
  int tries = 0;
  return RE2::FullMatch(stem, kTried, &id, &tries) ? std::pair(id, tries) : std::pair(stem, 0);
}

/// The names in the folder are on disk when it returns: a file's name is as durable as its folder.
void SyncFolder(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) Fail("writing", path);
  const int why = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
  close(fd);
  if (why != 0) Fail("writing", path, std::strerror(why));
}

}  // namespace

void MakeFolder(const std::string& path) {
  std::error_code error;
  std::vector<fs::path> changed;  // folders that get a new name
  fs::path missing = fs::absolute(path, error).lexically_normal();
  if (!missing.has_filename()) missing = missing.parent_path();
  while (!fs::exists(missing, error) && missing.has_relative_path()) {
    missing = missing.parent_path();
    changed.push_back(missing);
  }
  fs::create_directories(path, error);
  if (error) Fail("making", path, error.message());
  for (const fs::path& folder : changed) SyncFolder(folder);
}

bool IsReport(const fs::path& path) {
  static const RE2 kName("[^\\x00]*-[0-9a-f]{16}\\.(?:html|json|txt)", RE2::Latin1);
  return RE2::FullMatch(path.filename().string(), kName);
}

std::vector<StoredReport> StoredReports(const std::string& folder) {
  std::map<std::string, StoredReport> reports;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!IsReport(at->path())) continue;
    std::error_code gone;
    const auto written = at->last_write_time(gone);
    if (gone) continue;
    StoredReport& report = reports[at->path().stem()];
    report.written = std::max(report.written, written);
    report.files.push_back(at->path());
  }
  std::vector<StoredReport> all;
  for (auto& [name, report] : reports) all.push_back(std::move(report));
  std::ranges::sort(all, std::greater(), &StoredReport::written);
  return all;
}

void KeepNewest(const std::string& folder, std::size_t most) {
  const std::vector<StoredReport> reports = StoredReports(folder);
  std::error_code error;
  for (std::size_t i = most; i < reports.size(); ++i) {
    for (const fs::path& file : reports[i].files) fs::remove(file, error);
  }
}

AlertGroup ReadAlertGroup(std::string_view json) {
  const std::vector<WebhookAlert> alerts = ReadWebhook(json, "the webhook");
  AlertGroup group;
  std::optional<TimeMs> start;
  for (const WebhookAlert& alert : alerts) {
    group.alerts.push_back(Digest(alert.fingerprint));
    group.states.push_back(
        Digest(fmt::format("{} {} {}", alert.fingerprint, alert.start.value_or(0),
                           alert.firing ? "firing" : "resolved")));
    if (alert.start && (!start || *alert.start < *start)) start = alert.start;
  }
  SortOnce(&group.alerts);
  SortOnce(&group.states);
  std::string all;
  for (const std::uint64_t alert : group.alerts) all += fmt::format("{:016x}", alert);
  std::string time = start ? FormatTime(*start / 1000 * 1000) : "unknown";
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  group.report = fmt::format("{}-{}-{:016x}", FileName(alerts.front().name), time, Digest(all));
  return group;
}

std::deque<std::uint64_t> ReadReported(const std::string& path) {
  std::deque<std::uint64_t> states;
  std::error_code error;
  if (!fs::exists(path, error) && !error) return states;
  const nlohmann::json read = ReadJson(ReadFile(path, kLongestState));
  bool good = MemberAt(read, "reported").is_array();
  for (const nlohmann::json& one : ListAt(read, "reported")) {
    const auto state =
        WholeNumber<std::uint64_t>(one.is_string() ? one.get<std::string>() : "", 16);
    good = good && state;
    states.push_back(state.value_or(0));
  }
  if (!good) Fail("reading", path, "not what serve has written");
  return states;
}

void WriteReported(const std::string& path, const std::deque<std::uint64_t>& states) {
  std::vector<std::string> texts;
  for (const std::uint64_t one : states) texts.push_back(fmt::format("{:016x}", one));
  WriteFileAtomically(path, WriteJson({{"reported", texts}}), 0640);
}

WebhookQueue::WebhookQueue(const std::string& folder, std::size_t most, const Log& log)
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
  for (const std::string& folder : {queue_, failed_}) {  // for nobody else to read
    MakeFolder(folder);
    std::error_code error;
    fs::permissions(folder, fs::perms::owner_all, error);
    if (error) Fail("making private", folder, error.message());
  }
  const int lock = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) Fail("writing", path);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    close(lock);
    Raise(ErrorKind::kFailed, "{}: another schedlens serves this folder: give another --out",
          folder_);
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
  std::error_code why;
  for (fs::directory_iterator at(queue_, why), end; !why && at != end; at.increment(why)) {
    if (at->path().extension() != ".json") continue;
    const auto [id, tries] = ReadName(at->path().stem());
    groups.push_back({.id = id, .path = at->path(), .group = {}, .tries = tries});
  }
  if (why) Fail("reading", queue_, why.message());
  std::ranges::sort(groups, {}, [](const QueuedGroup& one) { return std::tie(one.tries, one.id); });
  for (QueuedGroup& group : groups) {
    try {
      if (group.tries >= kMostTries) {
        Raise(ErrorKind::kFailed, "no end after {} tries", group.tries);
      }
      group.group = ReadAlertGroup(ReadFile(group.path, kLongestText));
    } catch (const Error& error) {
      MoveToFailures(group, error.what());
      continue;
    }
    if (IsKnown(group.group)) {  // reported by a process that ended then
      Remove(group);
    } else {
      Add(std::move(group));
    }
  }
}

/// Without the new name the old one stands: then only a count is lost.
void WebhookQueue::Rename(QueuedGroup* group, int tries) const {
  std::string path = fmt::format("{}/{}", queue_, QueuedName(group->id, tries));
  if (rename(group->path.c_str(), path.c_str()) == 0) group->path = std::move(path);
}

void WebhookQueue::Add(QueuedGroup group) {
  for (const std::uint64_t state : group.group.states) ++held_[state];
  alerts_ += group.group.states.size();
  waiting_.push_back(std::move(group));
}

bool WebhookQueue::IsKnown(const AlertGroup& group) const {
  return std::ranges::all_of(group.states, [&](std::uint64_t state) {
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
  group.id =
      fmt::format("{:014}-{:06}-{:016x}", Now(), ++number_ % 1'000'000, Digest(group.group.report));
  group.path = fmt::format("{}/{}", queue_, QueuedName(group.id, 0));
  OpenFolders();
  WriteFileAtomically(group.path, json);
  SyncFolder(queue_);
  Add(std::move(group));
  ++counts_.queued;
  changed_.notify_one();
  return Offered::kQueued;
}

std::optional<QueuedGroup> WebhookQueue::Take() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    const auto now = Clock::now();
    const auto found = std::ranges::find_if(waiting_, [&](const QueuedGroup& one) {
      return one.not_before <= now &&
             std::ranges::none_of(one.group.alerts,
                                  [&](std::uint64_t alert) { return running_.contains(alert); });
    });
    if (found != waiting_.end()) {
      QueuedGroup group = std::move(*found);
      Rename(&group, group.tries + 1);
      waiting_.erase(found);
      alerts_ -= group.group.states.size();
      running_.insert(group.group.alerts.begin(), group.group.alerts.end());
      ++counts_.running;
      return group;
    }
    // Until something that waits for its time may be ready.
    auto next = now + kLongestWait;
    for (const QueuedGroup& one : waiting_) {
      if (one.not_before > now) next = std::min(next, one.not_before);
    }
    changed_.wait_until(lock, next);
  }
  return std::nullopt;
}

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

void WebhookQueue::Finish(const QueuedGroup& taken, Outcome outcome, const std::string& why) {
  const std::lock_guard lock(mutex_);
  --counts_.running;
  for (const std::uint64_t alert : taken.group.alerts) running_.erase(alert);
  for (const std::uint64_t state : taken.group.states) {
    const auto held = held_.find(state);
    if (held != held_.end() && --held->second == 0) held_.erase(held);
  }
  changed_.notify_all();
  QueuedGroup again = taken;
  switch (outcome) {
    case Outcome::kStopped:
      Rename(&again, again.tries);
      again.not_before = Clock::now() + kFirstWait;
      return Add(std::move(again));
    case Outcome::kTryLater: {
      const auto wait = kFirstWait * (1 << std::min(again.tries++, 10));
      again.not_before = Clock::now() + std::min<Clock::duration>(wait, kLongestWait);
      return Add(std::move(again));
    }
    case Outcome::kGivenUp:
      ++counts_.given_up;
      OpenFolders();
      return MoveToFailures(taken, why);
    case Outcome::kReported:
      ++counts_.reported;
      OpenFolders();
      SyncFolder(folder_);
      Remember(taken.group);
      Remove(taken);
  }
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
