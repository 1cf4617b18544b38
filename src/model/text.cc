// Numbers as text: Go's ParseFloat and the HTTP API's float format.

#include "model/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "model/digit.h"

namespace schedlens {
namespace {

bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (Lower(text[i]) != lower[i]) return false;
  }
  return true;
}

/// Go's rule: an underscore only between digits, or between a base prefix and a digit.
bool UnderscoresAreBetweenDigits(std::string_view text, bool hex) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    if (i + 1 == text.size()) return false;
    const auto digit = [&](char c) { return hex ? IsHexDigit(c) : IsDigit(c); };
    const bool before = i == 0 ? hex : digit(text[i - 1]);
    if (!before || !digit(text[i + 1])) return false;
  }
  return true;
}

/// The value std::from_chars calls out of range: underflow is zero in Go, overflow an error.
std::optional<double> OutOfRange(std::string_view digits, bool hex) {
  long position = 0;  // power of the base of the first digit that is not zero
  long exponent = 0;
  bool seen_point = false;
  bool seen_digit = false;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const char c = Lower(digits[i]);
    if (c == (hex ? 'p' : 'e')) {
      const bool negative = i + 1 < digits.size() && digits[i + 1] == '-';
      const std::size_t from = i + 1 + (negative || digits[i + 1] == '+' ? 1 : 0);
      long value = 0;
      for (std::size_t k = from; k < digits.size(); ++k) {
        value = std::min(value * 10 + (digits[k] - '0'), 1000000000L);
      }
      exponent = negative ? -value : value;
      break;
    }
    if (c == '.') {
      seen_point = true;
      continue;
    }
    seen_digit = seen_digit || c != '0';
    if (seen_digit && !seen_point) ++position;
    if (!seen_digit && seen_point) --position;
  }
  if (position * (hex ? 4 : 1) + exponent < 0) return 0.0;
  return std::nullopt;
}

/// Digits without sign, prefix or underscores. Checks the shape that from_chars is laxer about.
std::optional<double> ParseDigits(std::string_view digits, bool hex) {
  if (digits.empty() || digits[0] == '+' || digits[0] == '-') return std::nullopt;
  if (hex && digits.find_first_of("pP") == std::string_view::npos) return std::nullopt;
  if (!hex && !IsDigit(digits[0]) && digits[0] != '.') return std::nullopt;
  if (hex && !IsHexDigit(digits[0]) && digits[0] != '.') return std::nullopt;
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(
      digits.data(), end, value, hex ? std::chars_format::hex : std::chars_format::general);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) return OutOfRange(digits, hex);
  return value;
}

}  // namespace

std::optional<double> ParseNumber(std::string_view text) {
  if (EqualsIgnoringCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::optional<double> value;
  if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity")) {
    value = std::numeric_limits<double>::infinity();
  } else {
    const bool hex = text.size() > 2 && text[0] == '0' && Lower(text[1]) == 'x';
    if (hex) text.remove_prefix(2);
    if (text.find('_') == std::string_view::npos) {
      value = ParseDigits(text, hex);
    } else if (UnderscoresAreBetweenDigits(text, hex)) {
      std::string plain;
      for (const char c : text) {
        if (c != '_') plain.push_back(c);
      }
      value = ParseDigits(plain, hex);
    }
  }
  if (value && negative) value = -*value;
  return value;
}

std::string FormatNumber(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  const std::string_view scientific(buffer, static_cast<std::size_t>(end - buffer));
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-6 || size >= 1e21)) return std::string(scientific);

  // The shortest digits, laid out around the point. to_chars' own fixed form is not the shortest
  // for large values (it prints every digit of 2^70), Go's is.
  const std::size_t e = scientific.find('e');
  int exponent = 0;
  const bool negative_exponent = scientific[e + 1] == '-';
  std::from_chars(buffer + e + 2, end, exponent);
  if (negative_exponent) exponent = -exponent;
  std::string out;
  std::string digits;
  for (const char c : scientific.substr(0, e)) {
    if (c == '-') out.push_back('-');
    if (IsDigit(c)) digits.push_back(c);
  }
  const int count = static_cast<int>(digits.size());
  if (exponent < 0) {
    out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  } else if (count <= exponent + 1) {
    out.append(digits).append(static_cast<std::size_t>(exponent + 1 - count), '0');
  } else {
    const auto whole = static_cast<std::size_t>(exponent + 1);
    out.append(digits, 0, whole).append(".").append(digits, whole, std::string::npos);
  }
  return out;
}

}  // namespace schedlens
