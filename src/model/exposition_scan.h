#ifndef SCHEDLENS_MODEL_EXPOSITION_SCAN_H_
#define SCHEDLENS_MODEL_EXPOSITION_SCAN_H_

// The smallest pieces of exposition lines. Positions are byte offsets; all stop at the text's end.

#include <cstddef>
#include <string_view>

namespace schedlens {

inline bool IsBlank(char c) { return c == ' ' || c == '\t'; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsNameStart(char c) {
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

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_EXPOSITION_SCAN_H_
