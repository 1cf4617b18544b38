#ifndef SCHEDLENS_MODEL_EXPOSITION_READER_H_
#define SCHEDLENS_MODEL_EXPOSITION_READER_H_

// Collects lines into series. Most lines of a capture repeat the label set of the line before (one
// series after the other) or follow the order of the scrape before (one scrape after the other), so
// the raw text of the label set is compared with these two first; a hash index knows the rest.
// Labels are parsed once per distinct text.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/exposition.h"
#include "model/exposition_line.h"
#include "model/hash_index.h"

namespace schedlens {

/// Of comments, in bytes: a header is shorter, what stands behind it is not held in memory.
inline constexpr std::size_t kMostComments = std::size_t{1} << 20;

class ExpositionReader {
 public:
  /// `name` is the file's name in messages.
  ExpositionReader(std::string name, std::optional<TimeMs> default_time)
      : name_(std::move(name)), default_time_(default_time) {}

  /// Takes the next line, without its `\n` (a `\r` before it is dropped). `complete` is false for a
  /// last line without line end: a sample there may be cut in the middle of a number, and is an
  /// error. Throws Error(kFailed) for a malformed line.
  void AddLine(std::string_view text, bool complete);

  /// Decides the unit of time, sorts, drops duplicates, and samples beyond the year 9999 where
  /// others are not, with a warning that names the first line. Call once, after the last line.
  Exposition Finish();

 private:
  /// One spelling of a label set.
  struct Spelling {
    std::string text;
    std::uint32_t series = 0;
    std::uint32_t next = 0;  // the spelling that came after this one the last time
  };

  void NoteTime(std::int64_t thousandths);
  void AddHashLine(const TextLine& line, std::size_t position);
  void KeepComment(std::string comment);
  void AddNative(std::string_view help);
  std::uint32_t FindSpelling(const TextLine& line, std::size_t start);
  std::uint32_t AddSpelling(const TextLine& line, std::size_t start, std::size_t end);
  void FlushSamples();
  std::uint32_t SeriesOf(Labels labels);
  bool TimesAreSeconds() const;
  void SetTimes(bool seconds);
  /// False, and nothing done, where all samples are late.
  bool DropLateSamples(std::size_t first_line);
  void OrderSamples();

  std::string name_;
  std::optional<TimeMs> default_time_;
  std::size_t line_number_ = 0;
  bool ended_ = false;  // `# EOF` was seen

  Exposition result_;
  std::size_t comment_bytes_ = 0;
  std::deque<Spelling> spellings_;
  HashIndex by_text_;       // into spellings_
  HashIndex by_labels_;     // into series
  std::uint32_t last_ = 0;  // spelling
  /// Of the last spelling's series, not in the series yet: where lines of one series follow each
  /// other it takes them all at once.
  std::vector<Sample> samples_;

  // What tells OpenMetrics from Prometheus text where `# EOF` is missing.
  bool is_openmetrics_ = false;
  std::int64_t largest_time_ = 0;  // thousandths of the unit, without sign
  // The first lines with a time after the year 9999 if it is in seconds, and in milliseconds.
  std::size_t first_late_ = 0;
  std::size_t first_later_ = 0;
};

class ByteSource;

/// Reads all lines of a source, `name` in messages; see ReadExposition in exposition.h.
Exposition ReadExposition(ByteSource& source, const std::string& name,
                          std::optional<TimeMs> default_time);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_EXPOSITION_READER_H_
