// Numbers as text: Go's ParseFloat and the HTTP API's float format.

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace schedlens {
namespace {

bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

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
  if (error != std::errc::result_out_of_range) return value;
  // Underflow is zero in Go, overflow an error. This process keeps the C locale.
  value = std::strtod(((hex ? "0x" : "") + std::string(digits)).c_str(), nullptr);
  return std::isinf(value) ? std::nullopt : std::optional(0.0);
}

/// The fewest digits of a finite number that read back as it, in Go's form with an exponent.
std::string Scientific(double value) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  return {buffer, end};
}

/// The same digits around the point. to_chars' own fixed form is not the shortest for large values
/// (it prints every digit of 2^70), Go's is.
std::string WithoutExponent(std::string_view scientific) {
  const std::size_t e = scientific.find('e');
  int exponent = 0;
  std::from_chars(scientific.data() + e + 2, scientific.data() + scientific.size(), exponent);
  if (scientific[e + 1] == '-') exponent = -exponent;
  std::string out, digits;
  for (const char c : scientific.substr(0, e)) {
    if (c != '.') (c == '-' ? out : digits) += c;
  }
  const int count = static_cast<int>(digits.size());
  if (exponent < 0) return out + "0." + std::string(std::size_t(-exponent - 1), '0') + digits;
  if (count <= exponent + 1)
    return out + digits + std::string(std::size_t(exponent + 1 - count), '0');
  return out + digits.insert(static_cast<std::size_t>(exponent + 1), ".");
}

/// Of what no digits can say; empty for a finite number.
std::string NotFinite(double value) {
  if (std::isnan(value)) return "NaN";
  return std::isinf(value) ? (value > 0 ? "+Inf" : "-Inf") : "";
}

}  // namespace

std::optional<double> ParseNumber(std::string_view text) {
  const bool negative = text.starts_with('-'), has_sign = negative || text.starts_with('+');
  if (has_sign) text.remove_prefix(1);
  const std::string small = InSmallLetters(text.substr(0, 9));  // one more than "infinity" has
  if (small == "nan" && !has_sign) return std::numeric_limits<double>::quiet_NaN();
  std::optional<double> value;
  if (small == "inf" || small == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else {
    const bool hex = text.size() > 2 && text[0] == '0' && Lower(text[1]) == 'x';
    if (hex) text.remove_prefix(2);
    if (text.find('_') == std::string_view::npos) {
      value = ParseDigits(text, hex);
    } else if (UnderscoresAreBetweenDigits(text, hex)) {
      std::string plain(text);
      std::erase(plain, '_');
      value = ParseDigits(plain, hex);
    }
  }
  if (value && negative) value = -*value;
  return value;
}

std::string InSmallLetters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), Lower);
  return small;
}

std::string FormatNumber(double value) {
  if (!std::isfinite(value)) return NotFinite(value);
  const double size = std::fabs(value);
  const std::string scientific = Scientific(value);
  return size != 0 && (size < 1e-6 || size >= 1e21) ? scientific : WithoutExponent(scientific);
}

std::string PlainNumber(double value) {
  return std::isfinite(value) ? WithoutExponent(Scientific(value)) : NotFinite(value);
}

}  // namespace schedlens
