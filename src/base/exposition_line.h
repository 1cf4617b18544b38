#pragma once

// One line of Prometheus text or OpenMetrics. What the two formats share is read the same way;
// where they differ the laxer rule holds (blanks and tabs between tokens, a blank line, any
// comment).

#include <cstdint>
#include <string>
#include <string_view>

#include "base/series.h"
#include "base/text.h"

namespace schedlens {

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

/// A line that starts with `#`.
struct Metadata {
  HashLine kind = HashLine::kComment;
  std::string family;  ///< of kType, kHelp, kUnit
  std::string text;    ///< the type (`untyped` reads as `unknown`), help, unit, or comment
};

Metadata ParseHashLine(const TextLine& line, std::size_t position);

}  // namespace schedlens
