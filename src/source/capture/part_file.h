#ifndef SCHEDLENS_SOURCE_CAPTURE_PART_FILE_H_
#define SCHEDLENS_SOURCE_CAPTURE_PART_FILE_H_

// The file next to a capture that holds what was answered so far; see capture_part.h.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "source/capture/part.h"

namespace schedlens {

/// Readable by its owner alone. Gone with the object while nothing is kept in it.
class CapturePartFile {
 public:
  /// Reads what stands at `path`, if anything does. Throws Error(kUsage) while another process has
  /// it or when it is not a capture's, Error(kFailed) when it is there and cannot be read.
  CapturePartFile(std::string path, const std::string& asked);
  ~CapturePartFile();
  CapturePartFile(const CapturePartFile&) = delete;
  CapturePartFile& operator=(const CapturePartFile&) = delete;

  /// Of the run that began it; nothing when there was none, or one that asked something else.
  const std::optional<CapturePartHead>& head() const { return head_; }
  /// One line about what was found: gone on from, discarded, damaged. Empty when nothing was there.
  const std::string& note() const { return note_; }
  const std::string& path() const { return path_; }
  /// Answers in it, of this run and those before.
  std::size_t count() const { return count_; }

  /// Starts it again, over whatever is there. Throws Error(kFailed).
  void Begin(const CapturePartHead& head);
  /// The answer that an earlier run had; each is given out once.
  std::optional<Answer> Take(const Query& query);
  /// The question with the fewest samples, but some, among those an earlier run had answered whole:
  /// what is cheapest to ask again. Nothing when there is none.
  std::optional<std::pair<Query, Answer>> Smallest() const;
  /// Adds an answer. When that fails (disk full) nothing more is kept and `trouble` says why: a
  /// capture can do without.
  void Keep(const Query& query, const Answer& answer);
  const std::string& trouble() const { return trouble_; }
  /// The capture is complete: the file is not needed any more.
  void Remove();

 private:
  void Open(int flags);
  void Append(const std::string& text);

  std::string path_;
  std::optional<CapturePartHead> head_;
  std::string note_;
  std::string trouble_;
  std::map<std::pair<TimeMs, std::string>, Answer> held_;
  std::size_t count_ = 0;
  int fd_ = -1;
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_PART_FILE_H_
