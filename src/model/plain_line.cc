#include "model/plain_line.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "model/exposition_scan.h"
#include "model/same_bytes.h"

namespace schedlens {
namespace {

/// Of each byte, whether it may stand in a label name.
constexpr std::array<bool, 256> kInName = [] {
  std::array<bool, 256> in{};
  for (int c = 0; c < 256; ++c) {
    const char byte = static_cast<char>(c);
    in[static_cast<std::size_t>(c)] = IsNameStart(byte) || IsDigit(byte);
  }
  return in;
}();

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kTops = 0x8080808080808080;

/// The top bit of each byte that is zero, right up to the first one.
std::uint64_t ZeroBytes(std::uint64_t word) { return (word - kOnes) & ~word & kTops; }

/// Where a value ends: the next quote, backslash, control character or byte above 0x7f.
const char* ValueEnd(const char* at, const char* end) {
  for (; end - at >= 8; at += 8) {
    const std::uint64_t word = LoadWord(at);
    const std::uint64_t found = ZeroBytes(word ^ (kOnes * '"')) | ZeroBytes(word ^ (kOnes * '\\')) |
                                ((word - kOnes * 0x20) & ~word & kTops) | (word & kTops);
    if (found != 0) return at + std::countr_zero(found) / 8;
  }
  const auto printable = [](char c) { return static_cast<unsigned char>(c) - 0x20U < 0x60; };
  while (at < end && *at != '"' && *at != '\\' && printable(*at)) ++at;
  return at;
}

const char* NameStop(const char* at, const char* end) {
  while (at < end && kInName[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

/// Eight digits as a number; false if one is none.
bool EightDigits(const char* at, std::uint64_t* number) {
  constexpr std::uint64_t kHighHalves = kOnes * 0xf0;
  std::uint64_t word = LoadWord(at);
  constexpr std::uint64_t kZeros = kOnes * '0';
  // '0' to '9' have the same high half, also six further on.
  if ((word & kHighHalves) != kZeros || ((word + kOnes * 6) & kHighHalves) != kZeros) return false;
  // Neighbours are joined to pairs, then the four pairs to one number.
  constexpr std::uint64_t kPairs = 0x000000ff000000ff;
  constexpr std::uint64_t kOddPairs = (std::uint64_t{1000000} << 32) + 100;
  constexpr std::uint64_t kEvenPairs = (std::uint64_t{10000} << 32) + 1;
  word -= kZeros;
  word = word * 10 + (word >> 8);
  word = (word & kPairs) * kOddPairs + ((word >> 16) & kPairs) * kEvenPairs;
  *number = word >> 32;
  return true;
}

/// `1795314346.716` and a line end: how nearly all times are written.
bool UsualTime(const char* at, const char* end, Rest* rest) {
  constexpr std::ptrdiff_t kLength = 14;
  if (end - at <= kLength || at[10] != '.' || at[kLength] != '\n') return false;
  std::uint64_t number = 0;
  if (!EightDigits(at, &number)) return false;
  for (const int i : {8, 9, 11, 12, 13}) {
    const auto digit = static_cast<unsigned>(at[i]) - '0';
    if (digit > 9) return false;
    number = number * 10 + digit;
  }
  rest->time_thousandths = static_cast<std::int64_t>(number);
  rest->time_is_decimal = true;
  return true;
}

}  // namespace

bool PlainKey::Add(std::string_view name, std::string_view value) {
  constexpr std::size_t kMost = 33;  // each is compared with all others
  if (name == kMetricName || pairs_.size() == kMost) return false;
  if (canonical_ && pairs_.size() > 1) canonical_ = pairs_.back().first < name;
  if (!canonical_ && std::any_of(pairs_.begin(), pairs_.end(),
                                 [&](const auto& pair) { return pair.first == name; })) {
    return false;
  }
  pairs_.emplace_back(name, value);
  return true;
}

/// Of the last key's pairs, how many stand in the same bytes at the start of this one.
std::size_t PlainKey::Unchanged(const char* at, const char* end) const {
  if (line_ == nullptr || !canonical_) return 0;
  const std::size_t same =
      SameBytes(line_, at, std::min<std::size_t>(ends_.back(), static_cast<std::size_t>(end - at)));
  std::size_t count = ends_.size();
  while (count > 0 && ends_[count - 1] > same) --count;
  return count;
}

const char* PlainKey::Scan(const char* at, const char* end) {
  const char* const line = at;
  const std::size_t unchanged = Unchanged(at, end);
  line_ = nullptr;
  pairs_.resize(unchanged);
  ends_.resize(unchanged);
  if (unchanged > 0) {
    at += ends_.back();
  } else {
    canonical_ = true;
  }
  if (unchanged < 2) {
    // The name may go on behind what is unchanged.
    while (at < end && (kInName[static_cast<unsigned char>(*at)] || *at == ':')) ++at;
    if (at == end || !IsNameStart(*line)) return nullptr;
    pairs_.resize(1);
    pairs_[0] = {kMetricName, std::string_view(line, static_cast<std::size_t>(at - line))};
    ends_.assign(1, static_cast<std::uint32_t>(at - line));
    // Blanks may stand between a name and its labels.
    if (*at == ' ') return end - at > 1 && (IsDigit(at[1]) || at[1] == '-') ? at : nullptr;
    if (*at != '{') return nullptr;
    at = ScanLabels(line, at, end);
  } else if (at < end && *at == ',') {
    at = ScanLabels(line, at, end);
  }
  if (at == nullptr || end - at < 2 || at[0] != '}' || at[1] != ' ') return nullptr;
  line_ = line;
  return at + 1;
}

/// From the brace or comma at `at` to what follows the last label; null if one is not plain.
const char* PlainKey::ScanLabels(const char* line, const char* at, const char* end) {
  do {
    const char* start = ++at;
    at = NameStop(at, end);
    if (end - at < 4 || !IsNameStart(*start) || at[0] != '=' || at[1] != '"') return nullptr;
    const std::string_view name(start, static_cast<std::size_t>(at - start));
    start = at + 2;
    at = ValueEnd(start, end);
    if (at == start || end - at < 3 || *at != '"') return nullptr;
    if (!Add(name, {start, static_cast<std::size_t>(at - start)})) return nullptr;
    ++at;
    ends_.push_back(static_cast<std::uint32_t>(at - line));
  } while (*at == ',');
  return at;
}

const char* ScanPlainRest(const char* at, const char* end, Rest* rest) {
  if (at == end || *at != ' ') return nullptr;
  PlainDecimal value;
  at = ScanPlainDecimal(at + 1, end, &value);
  if (!value.IsExact() || at == end || *at != ' ') return nullptr;
  ++at;
  rest->value = value.Value();
  rest->has_time = true;
  if (UsualTime(at, end, rest)) return at + 15;
  PlainDecimal time;
  at = ScanPlainDecimal(at, end, &time);
  if (at == end || *at != '\n' || !SetPlainTime(time, rest)) return nullptr;
  return at + 1;
}

}  // namespace schedlens
