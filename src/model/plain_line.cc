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

constexpr std::uint64_t kZeros = kOnes * '0';

/// The top bit of each byte that is no digit, right up to the first one: '0' to '9' have the same
/// high half, also six further on.
std::uint64_t NoDigits(std::uint64_t word) {
  constexpr std::uint64_t kHighHalves = kOnes * 0xf0;
  const std::uint64_t other = ((word ^ kZeros) | ((word + kOnes * 6) ^ kZeros)) & kHighHalves;
  return (other | other << 1 | other << 2 | other << 3) & kTops;
}

/// Eight digits as a number, the first one lowest in the word.
std::uint64_t EightDigits(std::uint64_t word) {
  // Neighbours are joined to pairs, then the four pairs to one number.
  constexpr std::uint64_t kPairs = 0x000000ff000000ff;
  constexpr std::uint64_t kOddPairs = (std::uint64_t{1000000} << 32) + 100;
  constexpr std::uint64_t kEvenPairs = (std::uint64_t{10000} << 32) + 1;
  word -= kZeros;
  word = word * 10 + (word >> 8);
  word = (word & kPairs) * kOddPairs + ((word >> 16) & kPairs) * kEvenPairs;
  return word >> 32;
}

/// One to seven digits and no more; where they end, null for anything else. Reads eight bytes.
const char* FewDigits(const char* at, std::uint64_t* number) {
  const std::uint64_t word = LoadWord(at);
  const std::uint64_t others = NoDigits(word);
  const int digits = std::countr_zero(others) / 8;
  if (digits == 0 || others == 0) return nullptr;
  const int missing = 64 - 8 * digits;
  *number = EightDigits(word << missing | kZeros >> (64 - missing));
  return at + digits;
}

/// `183`, `0.0625`: how nearly all values are written. Null for others.
const char* UsualValue(const char* at, const char* end, double* value) {
  if (end - at < 16) return nullptr;  // so far two words reach
  std::uint64_t whole = 0;
  at = FewDigits(at, &whole);
  if (at == nullptr) return nullptr;
  *value = static_cast<double>(whole);
  if (*at != '.') return at;
  std::uint64_t fraction = 0;
  const char* const stop = FewDigits(at + 1, &fraction);
  if (stop == nullptr) return nullptr;
  // At most 14 digits, see PlainDecimal.
  const double power = kPowersOfTen[static_cast<std::size_t>(stop - at - 1)];
  *value = (*value * power + static_cast<double>(fraction)) / power;
  return stop;
}

/// `1795314346.716` and a line end: how nearly all times are written.
bool UsualTime(const char* at, const char* end, Rest* rest) {
  constexpr std::ptrdiff_t kLength = 14;
  if (end - at <= kLength || at[10] != '.' || at[kLength] != '\n') return false;
  const std::uint64_t first = LoadWord(at);
  // The last two bytes of the first word, then the point, three digits and the line end.
  const std::uint64_t end_word = LoadWord(at + 7);
  const std::uint64_t last =
      (end_word & 0xffffff) << 16 | (end_word >> 32 & 0xffffff) << 40 | (kZeros & 0xffff);
  if (((NoDigits(first)) | NoDigits(last)) != 0) return false;
  // The last word begins with the first one's last digit, which goes in once.
  rest->time_thousandths =
      static_cast<std::int64_t>(EightDigits(first) / 10 * 1000000 + EightDigits(last));
  rest->time_is_decimal = true;
  return true;
}

}  // namespace

bool PlainKey::Add(std::string_view name) {
  if (name == kMetricName || count_ == pairs_.size()) return false;
  if (ascending_ && count_ > 1) ascending_ = pairs_[count_ - 1].first < name;
  if (!ascending_ &&
      std::any_of(pairs_.begin(), pairs_.begin() + static_cast<std::ptrdiff_t>(count_),
                  [&](const auto& pair) { return pair.first == name; })) {
    return false;
  }
  pairs_[count_].first = name;
  return true;
}

/// Of the last key's pairs, how many stand in the same bytes at the start of this one.
std::size_t PlainKey::Unchanged(const char* at, const char* end) const {
  const std::size_t same = SameBytes(
      line_, at, std::min<std::size_t>(ends_[count_ - 1], static_cast<std::size_t>(end - at)));
  std::size_t count = count_;
  while (count > 0 && ends_[count - 1] > same) --count;
  return count;
}

const char* PlainKey::Scan(const char* at, const char* end) {
  const char* const line = at;
  known_ = line_ != nullptr && ascending_ ? count_ : 0;
  count_ = known_ > 0 ? Unchanged(at, end) : 0;
  ascending_ = true;
  line_ = nullptr;
  if (count_ > 0) at += ends_[count_ - 1];
  if (count_ < 2) {
    // The name may go on behind what is unchanged.
    while (at < end && (kInName[static_cast<unsigned char>(*at)] || *at == ':')) ++at;
    if (at == end || !IsNameStart(*line)) return nullptr;
    pairs_[0] = {kMetricName, std::string_view(line, static_cast<std::size_t>(at - line))};
    ends_[0] = static_cast<std::uint32_t>(at - line);
    count_ = 1;
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
    at = SkipKnownName(start, end);
    if (at == nullptr) {
      known_ = 0;
      at = NameStop(start, end);
      if (end - at < 4 || !IsNameStart(*start) || at[0] != '=' || at[1] != '"') return nullptr;
      if (!Add({start, static_cast<std::size_t>(at - start)})) return nullptr;
    }
    start = at + 2;
    at = ValueEnd(start, end);
    if (at == start || end - at < 3 || *at != '"') return nullptr;
    pairs_[count_].second = {start, static_cast<std::size_t>(at - start)};
    ++at;
    ends_[count_++] = static_cast<std::uint32_t>(at - line);
  } while (*at == ',');
  return at;
}

/// Where the name ends, if it is the one that the last key had in this place and all names before
/// it were the last key's too: then it is in order, as that key's were. Null otherwise.
const char* PlainKey::SkipKnownName(const char* at, const char* end) {
  if (count_ >= known_) return nullptr;
  const std::string_view name = pairs_[count_].first;
  const std::size_t size = name.size() + 2;  // with what stands between name and value
  if (static_cast<std::size_t>(end - at) < size || SameBytes(at, name.data(), size) < size) {
    return nullptr;
  }
  return at + name.size();
}

const char* ScanPlainRest(const char* at, const char* end, Rest* rest) {
  if (at == end || *at != ' ') return nullptr;
  const char* const start = at + 1;
  at = UsualValue(start, end, &rest->value);
  if (at == nullptr) {
    PlainDecimal value;
    at = ScanPlainDecimal(start, end, &value);
    if (!value.IsExact()) return nullptr;
    rest->value = value.Value();
  }
  if (at == end || *at != ' ') return nullptr;
  ++at;
  rest->has_time = true;
  if (UsualTime(at, end, rest)) return at + 15;
  PlainDecimal time;
  at = ScanPlainDecimal(at, end, &time);
  if (at == end || *at != '\n' || !SetPlainTime(time, rest)) return nullptr;
  return at + 1;
}

}  // namespace schedlens
