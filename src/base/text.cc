// Numbers (Go's ParseFloat, the HTTP API's float format), durations, times and zones as text;
// UTF-8, quotes, and the nearest word.

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
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

std::optional<int> TakeDigits(std::string_view* text, std::size_t count) {
  const auto value = WholeNumber<std::uint16_t>(text->substr(0, count));
  if (text->size() < count || !value) return std::nullopt;
  text->remove_prefix(count);
  return *value;
}

bool Take(std::string_view* text, std::string_view any_of) {
  if (text->empty() || any_of.find(text->front()) == std::string_view::npos) return false;
  text->remove_prefix(1);
  return true;
}

/// `.digits`, rounded to milliseconds; zero if there is no point. Nothing for a bare point.
std::optional<int> TakeFraction(std::string_view* text) {
  if (!Take(text, ".")) return 0;
  int ms = 0, digits = 0;
  bool up = false;
  for (; !text->empty() && IsDigit(text->front()); text->remove_prefix(1), ++digits) {
    if (digits < 3) ms = ms * 10 + (text->front() - '0');
    if (digits == 3) up = text->front() >= '5';
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 3; ++digits) ms *= 10;
  return ms + (up ? 1 : 0);
}

/// `+02:00`, `-0330`, `+8`, in minutes; nothing beyond so many hours.
std::optional<int> ReadOffset(std::string_view text, int most_hours = 14) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':' && i + 3 == text.size()) continue;
    if (!IsDigit(text[i])) return std::nullopt;
    digits += text[i];
  }
  if (digits.empty() || digits.size() > 4 || digits.size() == 3) return std::nullopt;
  const int number = std::stoi(digits);
  const int hours = digits.size() > 2 ? number / 100 : number;
  const int minutes = digits.size() > 2 ? number % 100 : 0;
  if (hours > most_hours || minutes > 59) return std::nullopt;
  return sign * (hours * 60 + minutes);
}

/// `Z` or `+hh:mm`, in minutes east of UTC, as the rest of the text.
std::optional<int> ParseZone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  return text.size() == 6 && text[3] == ':' ? ReadOffset(text, 23) : std::nullopt;
}

std::optional<TimeMs> ParseRfc3339(std::string_view text) {
  constexpr struct {
    std::size_t digits;
    int least, most;
    std::string_view ends;  ///< one of these follows
  } kFields[] = {{4, 0, 9999, "-"}, {2, 1, 12, "-"}, {2, 1, 31, "Tt "},
                 {2, 0, 23, ":"},   {2, 0, 59, ":"}, {2, 0, 59, ""}};
  std::array<int, 6> fields = {};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto number = TakeDigits(&text, kFields[i].digits);
    if (!number || *number < kFields[i].least || *number > kFields[i].most) return std::nullopt;
    if (!kFields[i].ends.empty() && !Take(&text, kFields[i].ends)) return std::nullopt;
    fields[i] = *number;
  }
  const std::chrono::year_month_day date{std::chrono::year{fields[0]},
                                         std::chrono::month{unsigned(fields[1])},
                                         std::chrono::day{unsigned(fields[2])}};
  const auto fraction = TakeFraction(&text);
  const auto zone = fraction ? ParseZone(text) : std::nullopt;
  if (!zone || !date.ok()) return std::nullopt;  // not ok: 30 February
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + fields[3]) * 60 + fields[4] - *zone) * 60000LL + fields[5] * 1000LL +
         *fraction;
}

std::optional<TimeMs> ParseUnixSeconds(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  std::int64_t seconds = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || text[0] == '-' || seconds > kMaxTime / 1000) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  const auto fraction = TakeFraction(&text);
  if (!fraction || !text.empty()) return std::nullopt;
  const TimeMs t = seconds * 1000 + *fraction;
  return negative ? -t : t;
}

constexpr int kMinutesOfADay = 24 * 60;

/// The installed file of a zone's name; nothing for what is none.
bool IsInstalled(const std::string& name) {
  const bool safe = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                    name.find("..") == std::string::npos &&
                    std::ranges::all_of(name, [](unsigned char c) {
                      return std::isalnum(c) != 0 || c == '/' || c == '_' || c == '-' || c == '+';
                    });
  if (!safe) return false;
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

bool IsPlain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
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
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  std::size_t next_unit = 0;  // units must come from the largest to the smallest, each once
  while (!text.empty()) {
    std::int64_t count = 0;
    if (!IsDigit(text[0])) return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    const std::size_t length =
        std::min(text.size(), static_cast<std::size_t>(text.substr(0, 2) == "ms" ? 2 : 1));
    const auto unit =
        std::find_if(kUnits.begin() + static_cast<std::ptrdiff_t>(next_unit), kUnits.end(),
                     [&](const DurationUnit& u) { return u.name == text.substr(0, length); });
    if (unit == kUnits.end() || length == 0) return std::nullopt;
    if (count > (kMaxDurationMs - total) / unit->ms) return std::nullopt;
    total += count * unit->ms;
    text.remove_prefix(length);
    next_unit = static_cast<std::size_t>(unit - kUnits.begin()) + 1;
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
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(t)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::int64_t rest = (time - day).count();
  std::string out =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", int(date.year()), unsigned(date.month()),
                  unsigned(date.day()), rest / 3600000, rest / 60000 % 60, rest / 1000 % 60);
  if (rest % 1000 != 0) out += fmt::format(".{:03}", rest % 1000);
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
  if (!text.empty() && std::ranges::all_of(text, IsPlain)) return std::string(text);
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
