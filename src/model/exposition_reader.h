#ifndef SCHEDLENS_MODEL_EXPOSITION_READER_H_
#define SCHEDLENS_MODEL_EXPOSITION_READER_H_

// Collects lines into series. Most lines of a capture repeat the label set of the line before (one
// series after the other) or follow the order of the scrape before (one scrape after the other), so
// the raw text of the label set is compared with these two first; a hash index knows the rest.
// Labels are parsed once per distinct text.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/exposition.h"
#include "model/exposition_line.h"
#include "model/hash_index.h"
#include "model/passed_over.h"
#include "model/plain_line.h"
#include "model/text_arena.h"

namespace schedlens {

/// Of comments, in bytes: a header is shorter, what stands behind it is not held in memory.
inline constexpr std::size_t kMostComments = std::size_t{1} << 20;

class ExpositionReader {
 public:
  /// `name` is the file's name in messages.
  ExpositionReader(std::string name, std::optional<TimeMs> default_time, MetricFilter wanted = {})
      : name_(std::move(name)), default_time_(default_time), wanted_(std::move(wanted)) {}

  /// Takes lines, each with its `\n`. Throws Error(kFailed) for a malformed line.
  void AddLines(std::string_view lines);

  /// Takes the next line, without its `\n` (a `\r` before it is dropped). `complete` is false for a
  /// last line without line end: a sample there may be cut in the middle of a number, and is an
  /// error. Throws Error(kFailed) for a malformed line.
  void AddLine(std::string_view text, bool complete);

  /// From here on, and of what was read so far, metrics that are not wanted are passed over.
  void PassOverAllBut(MetricFilter wanted);

  /// Decides the unit of time, sorts, drops duplicates, and samples beyond the year 9999 where
  /// others are not, with a warning that names the first line. Call once, after the last line.
  Exposition Finish();

 private:
  /// Stands for "no timestamp" until the end of the file.
  static constexpr TimeMs kNoTime = INT64_MIN;

  /// One spelling of a label set.
  struct Spelling {
    std::string_view text;
    std::uint32_t series = 0;
    std::uint32_t next = 0;  // the spelling that came after this one the last time
  };
  /// Whether a label set's spelling is the only one of its kind, see PlainKey.
  enum class Text { kCanonical, kAny };

  const char* AddPlainLines(const char* at, const char* end);
  void AddAnyLine(std::string_view text, bool complete);
  void AddSample(const Rest& rest);
  void NoteTime(std::int64_t thousandths);
  void AddHashLine(const TextLine& line, std::size_t position);
  void KeepComment(std::string comment);
  void AddNative(std::string_view help);
  /// These three make the label set's spelling the last one, or pass over it, and return where it
  /// ends.
  std::size_t FindExpected(std::string_view text);
  const char* FindPlainKey(const char* at, const char* end);
  std::size_t FindKey(const TextLine& line, std::size_t start);
  bool IsWanted(std::string_view metric);
  void PassOver(std::string_view key);
  template <class LabelsOf>
  std::uint32_t FindSpelling(std::string_view text, Text kind, LabelsOf labels);
  void SetLast(std::uint32_t spelling);
  void FlushSamples();
  void IndexLabels();
  std::uint32_t SeriesOf(Labels labels, Text kind);
  bool TimesAreSeconds() const;
  void SetTimes(bool seconds);
  /// False, and nothing done, where all samples are late.
  bool DropLateSamples(bool seconds);
  void TellPassedOver(bool seconds, bool late);
  void OrderSamples();

  std::string name_;
  std::optional<TimeMs> default_time_;
  MetricFilter wanted_;
  std::size_t line_number_ = 0;
  bool ended_ = false;  // `# EOF` was seen

  Exposition result_;
  std::size_t comment_bytes_ = 0;
  TextArena texts_;
  std::vector<Spelling> spellings_;
  HashIndex by_text_;  // into spellings_
  /// Into series; filled when the first spelling comes that may mean what another one does.
  HashIndex by_labels_;
  bool has_by_labels_ = false;
  PlainKey plain_;
  std::uint32_t last_ = 0;  // spelling
  /// Of the last spelling's series, not in the series yet: where lines of one series follow each
  /// other it takes them all at once.
  std::vector<Sample> samples_;
  bool in_order_ = true;  // so far, with each time after the one before

  // Where the last line was of a metric that is not wanted.
  bool passing_ = false;
  std::string_view passed_text_;  // as long as its bytes are known to be there, else empty
  PassedOverTimes passed_;
  std::string metric_;  // the last one the filter was asked about
  bool metric_wanted_ = false;

  // What tells OpenMetrics from Prometheus text where `# EOF` is missing.
  bool is_openmetrics_ = false;
  bool has_untimed_ = false;
  std::int64_t largest_time_ = 0;  // thousandths of the unit, without sign
  // The first lines with a time after the year 9999 if it is in seconds, and in milliseconds.
  std::size_t first_late_ = 0;
  std::size_t first_later_ = 0;
};

class ByteSource;

/// Reads all lines of a source, `name` in messages; see ReadExposition in exposition.h. The filter
/// counts from the first block on that begins behind `whole_bytes`, and is as if it always had.
Exposition ReadExposition(ByteSource& source, const std::string& name,
                          std::optional<TimeMs> default_time, const MetricFilter& wanted = {},
                          std::size_t whole_bytes = 0);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_EXPOSITION_READER_H_
