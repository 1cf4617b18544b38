#include "source/capture/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "model/file.h"
#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

[[noreturn]] void Fail(const char* doing, const std::string& path) {
  throw Error(ErrorKind::kFailed, fmt::format("{} {}: {}", doing, path, std::strerror(errno)));
}

}  // namespace

CapturePartFile::CapturePartFile(std::string path, const std::string& asked)
    : path_(std::move(path)) {
  Open(0);
  if (fd_ < 0) return;
  CapturePart part;
  struct stat status = {};
  const bool plain = fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
  const std::string text = plain ? ReadFile(path_, kAnySize) : "no file";
  if (!MayBeCapturePart(text)) {
    close(fd_);
    throw Error(ErrorKind::kUsage,
                path_ + ": exists and is not part of a capture: move it, or give another --out");
  }
  try {
    part = ReadCapturePart(text);
  } catch (const Error& error) {
    note_ = fmt::format("{}: {}; restarting the capture", path_, error.what());
    return;
  }
  if (part.head.asked != asked) {
    note_ = fmt::format("{}: made with other options; restarting the capture", path_);
    return;
  }
  if (ftruncate(fd_, static_cast<off_t>(part.sound)) != 0) Fail("writing", path_);
  head_ = part.head;
  for (auto& [query, answer] : part.answers) {
    held_[{query.end, std::move(query.promql)}] = std::move(answer);
  }
  count_ = held_.size();
  note_ = fmt::format("{}: going on with the {} answers of the capture begun at {}, {} to {}{}",
                      path_, count_, FormatTime(head_->recorded), FormatTime(head_->range.start),
                      FormatTime(head_->range.end),
                      part.sound < text.size() ? " (its end is damaged and asked for again)" : "");
}

CapturePartFile::~CapturePartFile() {
  if (fd_ < 0) return;
  if (head_ && count_ == 0) unlink(path_.c_str());
  close(fd_);
}

/// Opens it for this process alone; a file that is not there stays so without O_CREAT.
void CapturePartFile::Open(int flags) {
  fd_ = open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (fd_ < 0 && errno == ENOENT && flags == 0) return;
  if (fd_ < 0) Fail("opening", path_);
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    close(fd_);
    fd_ = -1;
    throw Error(ErrorKind::kUsage, path_ + ": another capture is writing this file");
  }
}

void CapturePartFile::Append(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t n = write(fd_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("writing", path_);
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
}

void CapturePartFile::Begin(const CapturePartHead& head) {
  if (fd_ < 0) Open(O_CREAT);
  if (fchmod(fd_, 0600) != 0 || ftruncate(fd_, 0) != 0) Fail("writing", path_);
  head_ = head;
  held_.clear();
  count_ = 0;
  Append(WriteCapturePartHead(head));
}

std::optional<Answer> CapturePartFile::Take(const Query& query) {
  auto node = held_.extract({query.end, query.promql});
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

std::optional<std::pair<Query, Answer>> CapturePartFile::Smallest() const {
  const std::pair<const std::pair<TimeMs, std::string>, Answer>* best = nullptr;
  std::size_t fewest = 0;
  for (const auto& entry : held_) {
    // What ends after the run began may have had more samples to come.
    if (entry.first.first > head_->recorded) continue;
    std::size_t samples = 0;
    for (const Series& series : entry.second.series) samples += series.samples.size();
    if (samples == 0 || (best != nullptr && samples >= fewest)) continue;
    best = &entry;
    fewest = samples;
  }
  if (best == nullptr) return std::nullopt;
  const auto& [end, promql] = best->first;
  return std::pair(Query{.promql = promql, .start = end, .end = end, .step_ms = 0}, best->second);
}

void CapturePartFile::Keep(const Query& query, const Answer& answer) {
  if (!trouble_.empty()) return;
  try {
    Append(WriteCapturePartAnswer(query, answer));
    ++count_;
  } catch (const Error& error) {
    trouble_ = error.what();
  }
}

void CapturePartFile::Remove() {
  unlink(path_.c_str());
  close(fd_);
  fd_ = -1;
}

}  // namespace schedlens
