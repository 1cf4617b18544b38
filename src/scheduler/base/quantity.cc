#include "scheduler/base/quantity.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/text.h"

namespace schedlens::sim::core {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// A suffix stands for 2^two * 10^ten.
struct Suffix {
  std::string_view text;
  int two, ten;
};
constexpr Suffix kSuffixes[] = {
    {"", 0, 0},    {"n", 0, -9},  {"u", 0, -6},  {"m", 0, -3},  {"k", 0, 3},   {"M", 0, 6},
    {"G", 0, 9},   {"T", 0, 12},  {"P", 0, 15},  {"E", 0, 18},  {"Ki", 10, 0}, {"Mi", 20, 0},
    {"Gi", 30, 0}, {"Ti", 40, 0}, {"Pi", 50, 0}, {"Ei", 60, 0},
};

std::optional<Suffix> ReadSuffix(std::string_view text) {
  const auto* known = std::ranges::find(kSuffixes, text, &Suffix::text);
  if (known != std::end(kSuffixes)) return *known;
  static const RE2 kExponent("[eE]\\+?(-?\\d+)");
  int exponent = 0;
  if (!RE2::FullMatch(text, kExponent, &exponent)) return std::nullopt;
  return Suffix{"", 0, exponent};
}

// Multiplies unless the product is beyond all that fits an int64 after the divisions to come.
bool Multiply(Wide& value, unsigned factor) {
  if (value > (~Wide{0}) / factor) return false;
  value *= factor;
  return true;
}

std::optional<std::int64_t> Parse(std::string_view text, int scale) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Wide value = 0;
  int ten = scale;
  bool point = false, any = false, inexact = false;
  std::size_t i = 0;
  for (; i < text.size() && (IsDigit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    any = true;
    // 24 digits hold every amount that fits; digits behind them only decide the rounding.
    if (value >= Wide{1'000'000'000'000} * 1'000'000'000'000) {
      inexact |= text[i] != '0';
      ten += point ? 0 : 1;
      continue;
    }
    value = value * 10 + static_cast<unsigned>(text[i] - '0');
    ten -= point ? 1 : 0;
  }
  const auto suffix = any ? ReadSuffix(text.substr(i)) : std::nullopt;
  if (!suffix) return std::nullopt;
  const std::int64_t limit = negative ? -kMax : kMax;
  if (value == 0) return 0;
  ten += suffix->ten;
  for (; ten > 0; --ten) {
    if (!Multiply(value, 10)) return limit;
  }
  int two = suffix->two;
  // Powers of ten are divided out as far as they must for the factors of two to fit.
  for (; two > 0; --two) {
    while (!Multiply(value, 2)) {
      if (ten == 0) return limit;
      inexact |= value % 10 != 0;
      value /= 10;
      ++ten;
    }
  }
  for (; ten < 0 && value > 0; ++ten) {
    inexact |= value % 10 != 0;
    value /= 10;
  }
  if (inexact) ++value;
  if (value > static_cast<Wide>(kMax)) return limit;
  const auto magnitude = static_cast<std::int64_t>(value);
  return negative ? -magnitude : magnitude;
}

}  // namespace

std::optional<std::int64_t> QuantityMilli(std::string_view text) { return Parse(text, 3); }
std::optional<std::int64_t> QuantityValue(std::string_view text) { return Parse(text, 0); }

}  // namespace schedlens::sim::core
