#pragma once

#include <algorithm>

#include "base/exposition.h"
#include "base/hash_index.h"
#include "base/text.h"

namespace schedlens {

// One line of Prometheus text or OpenMetrics. What the two formats share is read the same way;
// where they differ the laxer rule holds (blanks and tabs between tokens, a blank line, any
// comment).

// The smallest pieces. Positions are byte offsets; all stop at the text's end.
constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }
constexpr bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The end of an unquoted name: a label name, or with `colons` a metric name. `start` if none.
inline std::size_t NameEnd(std::string_view text, std::size_t start, bool colons) {
  std::size_t i = start;
  while (i < text.size() &&
         (IsNameStart(text[i]) || (colons && text[i] == ':') || (i > start && IsDigit(text[i])))) {
    ++i;
  }
  return i;
}

inline std::size_t SkipBlanks(std::string_view text, std::size_t i) {
  while (i < text.size() && IsBlank(text[i])) ++i;
  return i;
}

inline std::size_t TokenEnd(std::string_view text, std::size_t i) {
  while (i < text.size() && !IsBlank(text[i])) ++i;
  return i;
}

/// A line without its line end, and where it stands.
struct TextLine {
  std::string_view text;
  std::size_t number = 1;  ///< from 1
  std::string_view file;
};

/// Throws Error(kFailed): file, line, column (in bytes, from 1), what was expected at `position`
/// and what is there, or that the line is binary data.
[[noreturn]] void FailAt(const TextLine& line, std::size_t position, std::string_view expected);

/// Reads `name`, `name{label="value",...}` or `{"quoted.name",...}` from `*at` on, which is moved
/// behind it. The escapes \\, \" and \n are resolved, other backslashes stay. An empty value means
/// no label. A label given twice, or no metric name, is an error.
Labels ParseKey(const TextLine& line, std::size_t* at);

/// What follows the label set.
struct Rest {
  double value = 0;
  bool has_time = false;
  /// The timestamp in thousandths of its unit, which only the whole file tells. Further digits are
  /// cut, as Prometheus does.
  std::int64_t time_thousandths = 0;
  bool time_is_decimal = false;  ///< has a point or an exponent: only seconds have
  bool has_exemplar = false;
};

/// Reads value, timestamp and exemplar (checked, not kept) from `position` to the end of the line.
Rest ParseRest(const TextLine& line, std::size_t position);

enum class HashLine { kComment, kType, kHelp, kUnit, kEof };

struct Metadata {
  HashLine kind = HashLine::kComment;
  std::string family;  ///< of kType, kHelp, kUnit
  std::string text;    ///< the type (`untyped` reads as `unknown`), help, unit, or comment
};

Metadata ParseHashLine(const TextLine& line, std::size_t position);

// Collects lines into series. Most lines of a capture repeat the label set of the line before (one
// series after the other) or follow the order of the scrape before (one scrape after the other), so
// the raw text of the label set is compared with these two first. Labels are parsed where it is
// neither; a label set above the last one of a text in label order is new, a hash index knows the
// others.

/// Of comments, in bytes: a header is shorter, what stands behind it is not held in memory.
inline constexpr std::size_t kMostComments = std::size_t{16} << 20;

/// Collects what is passed over while the unit of time is not known yet.
class PassedOverTimes {
 public:
  /// A time in thousandths of its unit.
  void Add(std::int64_t thousandths) {
    if (!IsLate(thousandths)) return usual_.Add(thousandths);
    (IsLate(thousandths / 1000) ? later_ : late_).Add(thousandths);
  }
  void AddWithoutTime() { ++without_time_; }

  std::size_t samples() const {
    return usual_.samples + late_.samples + later_.samples + without_time_;
  }
  /// How many lie beyond kLatestTime.
  std::size_t Late(bool seconds) const { return later_.samples + (seconds ? late_.samples : 0); }
  /// First and last in milliseconds, without late ones; samples without time are of `default_time`.
  /// Nothing without samples.
  std::optional<TimeRange> Extent(bool seconds, TimeMs default_time) const;

 private:
  struct Span {
    void Add(std::int64_t time) {
      first = std::min(first, time);
      last = std::max(last, time);
      ++samples;
    }
    std::int64_t first = INT64_MAX, last = INT64_MIN;
    std::size_t samples = 0;
  };
  static bool IsLate(std::int64_t time) { return time > kLatestTime || time < -kLatestTime; }

  Span usual_;
  Span late_;   // if the unit is seconds
  Span later_;  // in both units
  std::size_t without_time_ = 0;
};

class ExpositionReader {
 public:
  /// `name` is the file's name in messages.
  ExpositionReader(std::string name, std::optional<TimeMs> default_time)
      : name_(std::move(name)), default_time_(default_time) {}

  /// Takes the lines that have their `\n` (a `\r` before it is dropped), and returns how many bytes
  /// they are. With `last` it takes what is behind them, too: a sample there may be cut in the
  /// middle of a number, and is an error. Throws Error(kFailed) for a malformed line.
  std::size_t AddLines(std::string_view text, bool last = false);

  /// From here on, and of what was read so far, metrics that are not wanted are passed over.
  void PassOverAllBut(MetricFilter wanted);

  /// Decides the unit of time, sorts, drops duplicates and samples beyond kLatestTime, with a
  /// warning that names the first line. Throws Error(kFailed) where all are. Call once, after the
  /// last line.
  LongExposition Finish();

 private:
  /// Stands for "no timestamp" until the end of the file.
  static constexpr TimeMs kNoTime = INT64_MIN;
  static constexpr std::size_t kNoLine = SIZE_MAX;

  /// What is known of a series that came back after others.
  struct Returned {
    std::string text;        // how its label set was written then; empty until it came back
    std::uint32_t next = 0;  // the series that came back after it the last time
  };

  void AddLine(std::string_view text, bool complete);
  void AddSample(const Rest& rest);
  void NoteTime(std::int64_t thousandths);
  void AddHashLine(const TextLine& line, std::size_t position);
  void KeepComment(std::string comment);
  void AddNative(std::string_view help);
  /// These two make the label set's series the last one, or pass over it, and return where it
  /// ends.
  std::size_t FindExpected(std::string_view text);
  std::size_t FindKey(const TextLine& line, std::size_t start);
  bool IsWanted(std::string_view metric);
  void SetLast(Labels labels, std::string_view key);
  void SetLast(std::uint32_t series, std::string_view key);
  void FlushSamples();
  void ForgetPlaces();
  std::uint32_t SeriesOf(Labels labels);
  bool TimesAreSeconds() const;
  void SetTimes(bool seconds);
  void DropLateSamples(bool seconds, std::size_t first_line);
  void OrderSamples();

  std::string name_;
  std::optional<TimeMs> default_time_;
  MetricFilter wanted_;
  std::size_t line_number_ = 0;
  bool ended_ = false;  // `# EOF` was seen

  Exposition result_;  // but for its series
  std::deque<Series> series_;
  std::size_t comment_bytes_ = 0;
  /// Of the last line, as long as its bytes are known to be there, else empty.
  std::string_view key_;
  std::uint32_t last_ = 0;          // the last line's series, or the one before those passed over
  std::vector<Returned> returned_;  // by series, as far as one came back
  /// Into series; filled when the first label set comes that is not above the one before.
  HashIndex by_labels_;
  bool has_by_labels_ = false;
  /// Of the last series, not in it yet: where lines of one series follow each other it takes them
  /// all at once.
  std::vector<Sample> samples_;
  bool in_order_ = true;  // so far, with each time after the one before

  // Where the last line was of a metric that is not wanted.
  bool passing_ = false;
  PassedOverTimes passed_;
  std::string metric_;  // the last one the filter was asked about
  bool metric_wanted_ = false;

  // What tells OpenMetrics from Prometheus text where `# EOF` is missing.
  bool is_openmetrics_ = false, has_untimed_ = false;
  bool can_be_seconds_ = false;  // some time is not beyond kLatestTime as seconds
  // The first lines with a time beyond kLatestTime in seconds alone, and in milliseconds too.
  std::size_t first_late_ = kNoLine, first_later_ = kNoLine;
};

}  // namespace schedlens
