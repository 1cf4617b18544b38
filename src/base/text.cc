// Numbers (Go's ParseFloat, the HTTP API's float format), durations, times and zones as text;
// UTF-8, quotes, and the nearest word.

#include "base/text.h"

#include <fmt/chrono.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace schedlens {
namespace {

bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Go's rule: an underscore only between digits, or between a base prefix and a digit.
bool UnderscoresAreBetweenDigits(std::string_view text, bool hex) {
  static const RE2 kOther("^_|[^0-9]_|_(?:[^0-9]|$)", RE2::Latin1);
  static const RE2 kOtherInHex("[^0-9a-fA-F]_|_(?:[^0-9a-fA-F]|$)", RE2::Latin1);
  return !RE2::PartialMatch(text, hex ? kOtherInHex : kOther);
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

struct DurationUnit {
  std::string_view name;
  std::int64_t ms;
  bool only_if_exact;  // 90d reads better than 12w6d: Prometheus prints years and weeks only whole
};

constexpr std::array<DurationUnit, 7> kUnits = {{
    {"y", 365LL * 24 * 3600 * 1000, true},
    {"w", 7LL * 24 * 3600 * 1000, true},
    {"d", 24LL * 3600 * 1000, false},
    {"h", 3600LL * 1000, false},
    {"m", 60LL * 1000, false},
    {"s", 1000, false},
    {"ms", 1, false},
}};

// Go keeps durations as nanoseconds in 64 bits; longer ones are out of range there too.
constexpr std::int64_t kMaxDurationMs = INT64_MAX / 1000000;
// The years 1 to 9999: what RFC 3339 can say.
constexpr TimeMs kMinTime = -62135596800000;
constexpr TimeMs kMaxTime = 253402300799999;

/// The digits behind the point of seconds, rounded to milliseconds.
int MillisecondsOf(std::string digits) {
  digits.resize(4, '0');
  return (std::stoi(digits) + 5) / 10;
}

/// `+02:00`, `-0330`, `+8`, in minutes; nothing beyond so many hours.
std::optional<int> ReadOffset(std::string_view text, int most_hours = 14) {
  static const RE2 kOffset("([-+])(\\d\\d|\\d$)(?::?(\\d\\d))?");
  std::string sign, rest;
  int hours = 0;
  if (!RE2::FullMatch(text, kOffset, &sign, &hours, &rest)) return std::nullopt;
  const int minutes = WholeNumber<int>(rest).value_or(0);
  if (hours > most_hours || minutes > 59) return std::nullopt;
  return (sign == "-" ? -1 : 1) * (hours * 60 + minutes);
}

std::optional<TimeMs> ParseRfc3339(std::string_view text) {
  static const RE2 kForm(
      "(\\d{4})-(\\d\\d)-(\\d\\d)[Tt ](\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d+))?"
      "(?:[Zz]|([-+]\\d\\d:\\d\\d))");
  int year = 0, hour = 0, minute = 0, second = 0;
  unsigned month = 0, day = 0;
  std::string fraction, zone;
  if (!RE2::FullMatch(text, kForm, &year, &month, &day, &hour, &minute, &second, &fraction, &zone))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{day}};
  const auto offset = zone.empty() ? 0 : ReadOffset(zone, 23);
  const bool of_a_day = hour <= 23 && minute <= 59 && second <= 59;
  if (!of_a_day || !offset || !date.ok()) return std::nullopt;  // not ok: 30 February
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute - *offset) * 60000LL + second * 1000LL +
         MillisecondsOf(fraction);
}

std::optional<TimeMs> ParseUnixSeconds(std::string_view text) {
  static const RE2 kForm("(-?)(\\d+)(?:\\.(\\d+))?");
  std::string sign, fraction;
  std::int64_t seconds = 0;
  if (!RE2::FullMatch(text, kForm, &sign, &seconds, &fraction)) return std::nullopt;
  if (seconds > kMaxTime / 1000) return std::nullopt;
  const TimeMs t = seconds * 1000 + MillisecondsOf(fraction);
  return sign.empty() ? t : -t;
}

constexpr int kMinutesOfADay = 24 * 60;

/// The installed file of a zone's name; nothing for what is none.
bool IsInstalled(const std::string& name) {
  static const RE2 kSafe("[A-Za-z][A-Za-z0-9/_+-]*");
  if (!RE2::FullMatch(name, kSafe)) return false;
  const char* own = std::getenv("TZDIR");
  const std::filesystem::path folder = own != nullptr ? own : "/usr/share/zoneinfo";
  char magic[4] = {};
  std::ifstream(folder / name, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "TZif";
}

struct Lead {
  std::size_t length;
  unsigned char second_low, second_high;  // the allowed second byte excludes overlong forms
};

Lead LeadOf(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

/// True for what a terminal shows as it is, and a code span can hold.
bool Shows(const Character& character) {
  const char32_t code = character.code;
  if (!character.well_formed || code < 0x20 || code == '`') return false;
  if (code >= 0x7F && code <= 0xAD) return false;
  const bool acts = code == 0x61C || code == 0x180E || (code >= 0x2000 && code <= 0x206F) ||
                    code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
                    (code >= 0xE0000 && code <= 0xE0FFF);
  return !acts;
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

std::string Scientific(double value) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  return {buffer, end};
}

std::string InSmallLetters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), Lower);
  return small;
}

std::string OnOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

std::string_view Trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::vector<std::string_view> SplitAt(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(mark), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string Escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    const bool escaped = special.find(c) != std::string_view::npos;
    if (escaped) out += '\\';
    out += escaped && c == '\n' ? 'n' : c;
  }
  return out;
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

std::optional<std::int64_t> ParseDuration(std::string_view text) {
  static const RE2 kForm(
      "(?:(\\d+)y)?(?:(\\d+)w)?(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?(?:(\\d+)ms)?");
  if (text == "0") return 0;
  std::array<std::string, kUnits.size()> counts;
  auto& [y, w, d, h, m, s, ms] = counts;
  if (text.empty() || !RE2::FullMatch(text, kForm, &y, &w, &d, &h, &m, &s, &ms)) return {};
  std::int64_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].empty()) continue;
    const auto count = WholeNumber<std::int64_t>(counts[i]);
    if (!count || *count > (kMaxDurationMs - total) / kUnits[i].ms) return std::nullopt;
    total += *count * kUnits[i].ms;
  }
  return total;
}

std::string FormatDuration(std::int64_t ms) {
  if (ms == 0) return "0s";
  std::string out = ms < 0 ? "-" : "";
  std::uint64_t rest = ms < 0 ? 0 - static_cast<std::uint64_t>(ms) : static_cast<std::uint64_t>(ms);
  for (const DurationUnit& unit : kUnits) {
    const auto size = static_cast<std::uint64_t>(unit.ms);
    if (unit.only_if_exact && rest % size != 0) continue;
    if (rest / size > 0) out += fmt::format("{}{}", rest / size, unit.name);
    rest %= size;
  }
  return out;
}

std::optional<TimeMs> ParseTime(std::string_view text, TimeMs now) {
  if (text == "now") return now;
  if (text.substr(0, 4) == "now-" || text.substr(0, 4) == "now+") {
    const auto distance = ParseDuration(text.substr(4));
    if (!distance) return std::nullopt;
    return text[3] == '-' ? now - *distance : now + *distance;
  }
  if (auto t = ParseRfc3339(text)) return t;
  return ParseUnixSeconds(text);
}

std::string FormatTime(TimeMs t) {
  if (t < kMinTime || t > kMaxTime) return fmt::format("@{}ms", t);
  const std::int64_t rest = (t % 1000 + 1000) % 1000;
  std::string out = fmt::format("{:%FT%T}", fmt::gmtime(std::time_t{(t - rest) / 1000}));
  if (rest != 0) out += fmt::format(".{:03}", rest);
  return out + "Z";
}

Zone ReadZone(const std::string& text) {
  if (text.empty() || text == "UTC" || text == "utc" || text == "Z") return {};
  const std::string_view offset = std::string_view(text).substr(text.starts_with("UTC") ? 3 : 0);
  if (const auto minutes = ReadOffset(offset)) return {text, minutes};
  if (!IsInstalled(text)) {
    Raise(ErrorKind::kUsage,
          "--timezone {}: no such zone is installed; give a name such as Europe/Berlin (package "
          "tzdata), UTC, or an offset such as +02:00",
          text);
  }
  setenv("TZ", (":" + text).c_str(), 1);
  tzset();
  return {text, std::nullopt};
}

int OffsetMinutes(const Zone& zone, TimeMs time) {
  if (zone.offset_minutes) return *zone.offset_minutes;
  const std::time_t seconds = time / 1000 - (time % 1000 < 0 ? 1 : 0);
  std::tm local = {};
  if (localtime_r(&seconds, &local) == nullptr) return 0;
  return static_cast<int>(local.tm_gmtoff / 60) % kMinutesOfADay;
}

std::string ZoneText(const Zone& zone, TimeMs time) {
  if (zone.name.empty()) return "UTC";
  const int minutes = OffsetMinutes(zone, time);
  return fmt::format("UTC{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60,
                     std::abs(minutes) % 60);
}

std::string FormatTime(TimeMs time, const Zone& zone) {
  if (zone.name.empty()) return FormatTime(time);
  const TimeMs ahead = TimeMs{OffsetMinutes(zone, time)} * 60'000;
  std::string text = FormatTime(time + ahead);
  if (text.ends_with('Z')) text.replace(text.size() - 1, 1, ZoneText(zone, time).substr(3));
  return text;
}

Character NextCharacter(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = LeadOf(first);
  if (lead.length == 0) return {};
  char32_t code = first & (0xFF >> (lead.length + 1));
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i >= text.size()) return {kReplacement, i, false};
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned char low = i == 1 ? lead.second_low : 0x80;
    const unsigned char high = i == 1 ? lead.second_high : 0xBF;
    if (byte < low || byte > high) return {kReplacement, i, false};
    code = (code << 6) | (byte & 0x3F);
  }
  return {code, lead.length, true};
}

bool IsText(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    if (bytes[i] == 0) return false;
    const Character next = NextCharacter(bytes.substr(i));
    if (!next.well_formed) return false;
    i += next.bytes;
  }
  return true;
}

void AppendUtf8(std::string& out, char32_t code) {
  constexpr char32_t kLeads[] = {0, 0xC0, 0xE0, 0xF0};
  int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes behind the lead
  out += static_cast<char>(kLeads[more] | (code >> (6 * more)));
  while (more-- > 0) out += static_cast<char>(0x80 | ((code >> (6 * more)) & 0x3F));
}

std::string QuotePromql(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const std::size_t at = std::string_view("\"\\\n\t\r").find(c);
    if (at != std::string_view::npos) {
      out += {'\\', "\"\\ntr"[at]};
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string EscapeRegex(std::string_view text) { return Escaped(text, "\\.+*?()|[]{}^$"); }

std::string ShellWord(std::string_view text) {
  static const RE2 kPlain("[A-Za-z0-9_@%+=:,./-]+");
  if (RE2::FullMatch(text, kPlain)) return std::string(text);
  std::string quoted = "'", spelled = "$'";
  bool shows = true;
  for (std::string_view rest = text; !rest.empty();) {
    const Character character = NextCharacter(rest);
    const std::string_view bytes = rest.substr(0, character.bytes);
    rest.remove_prefix(character.bytes);
    const bool quote = bytes == "'" || bytes == "\\";
    quoted += bytes == "'" ? "'\\''" : std::string(bytes);
    if (Shows(character)) {
      spelled += (quote ? "\\" : "") + std::string(bytes);
      continue;
    }
    shows = false;
    for (const char byte : bytes) {
      spelled += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
  }
  return (shows ? quoted : spelled) + "'";
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

std::string Nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : known) {
    std::size_t distance = EditDistance(word, candidate);
    if (!word.empty() && candidate.compare(0, word.size(), word) == 0) {
      distance = std::min<std::size_t>(distance, 1);
    }
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace schedlens
