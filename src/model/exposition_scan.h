#ifndef SCHEDLENS_MODEL_EXPOSITION_SCAN_H_
#define SCHEDLENS_MODEL_EXPOSITION_SCAN_H_

// The smallest pieces of exposition lines. Positions are byte offsets; all stop at the text's end.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/digit.h"

namespace schedlens {

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

inline constexpr std::array<double, 16> kPowersOfTen = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/// `digits[.digits]`, how most values and times are written.
struct PlainDecimal {
  std::uint64_t mantissa = 0;
  unsigned digits = 0;
  unsigned after_point = 0;
  bool point = false;

  /// At most 15 digits: mantissa and power of ten are exact doubles then, and one division of
  /// exact numbers is rounded correctly.
  bool IsExact() const { return digits > 0 && digits <= 15; }
  double Value() const {
    const auto whole = static_cast<double>(mantissa);
    return after_point == 0 ? whole : whole / kPowersOfTen[after_point];
  }
};

/// Reads digits and a point and returns where they end. Stops after 16 digits, which is more than
/// anyone uses.
inline const char* ScanPlainDecimal(const char* at, const char* end, PlainDecimal* out) {
  const char* point = nullptr;
  const char* const start = at;
  std::uint64_t mantissa = 0;
  for (; at < end && at - start <= 16; ++at) {
    const auto digit = static_cast<unsigned>(*at) - '0';
    if (digit <= 9) {
      mantissa = mantissa * 10 + digit;
    } else if (*at == '.' && point == nullptr) {
      point = at;
    } else {
      break;
    }
  }
  out->mantissa = mantissa;
  out->point = point != nullptr;
  out->digits = static_cast<unsigned>(at - start) - (out->point ? 1 : 0);
  out->after_point = out->point ? static_cast<unsigned>(at - point) - 1 : 0;
  return at;
}

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_EXPOSITION_SCAN_H_
