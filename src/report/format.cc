#include "report/format.h"

#include <cctype>
#include <cstring>

#include "base/url.h"

namespace schedlens {
namespace {

struct CodeRange {
  char32_t first, last;
};

bool In(char32_t code, const std::vector<CodeRange>& ranges) {
  return std::ranges::any_of(
      ranges, [code](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

// Characters that act instead of showing: controls, direction marks, zero width, line separators,
// the byte order mark and interlinear anchors, tags.
bool Acts(char32_t code) {
  static const std::vector<CodeRange> kActing = {
      {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},      {0x61C, 0x61C},
      {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
      {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
  return In(code, kActing);
}

std::string Spelled(char32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  if (code < 0x100) return fmt::format("\\x{:02x}", static_cast<unsigned>(code));
  return fmt::format("\\u{:04x}", static_cast<unsigned>(code));
}

// Calls `put(code)` for each character of the text.
template <class Put>
void EachCharacter(std::string_view text, Put put) {
  while (!text.empty()) {
    const Character character = NextCharacter(text);
    put(character.code);
    text.remove_prefix(character.bytes);
  }
}

using Spellings = std::initializer_list<std::pair<char, std::string_view>>;

// Visible text in which the characters of `special` are spelled as it says.
std::string VisibleWith(std::string_view outside, Spellings special) {
  const std::string text = MaskKnownSecrets(std::string(outside));  // before it is cut or spelled
  std::string out;
  const auto put = [&](char c) {
    const auto found = std::ranges::find(special, c, &Spellings::value_type::first);
    out += found == special.end() ? std::string_view(&c, 1) : found->second;
  };
  EachCharacter(text, [&](char32_t code) {
    if (Acts(code)) {
      for (const char c : Spelled(code)) put(c);
    } else if (code < 0x80) {
      put(static_cast<char>(code));
    } else {
      AppendUtf8(out, code);
    }
  });
  return out;
}

std::string PageOf(const SourceInfo& source, std::string_view promql) {
  const std::string& base = source.name;
  if (!IsWebLink(base) || promql.empty()) return "";
  return base + (base.back() == '/' ? "" : "/") +
         "graph?g0.expr=" + UrlPart(promql, "(),:*!");  // PromQL is full of these
}

// The shortest decimal digits of a finite number: digits x 10^exponent. Working on them instead of
// on doubles keeps rounding exact: 0.29 is 29 %, not 28.999999999999996 %.
struct Decimal {
  bool negative = false;
  std::uint64_t digits = 0;  // no trailing zero
  int exponent = 0;          // 0 of zero

  int Size() const { return static_cast<int>(std::to_string(digits).size()); }
  int Point() const { return Size() + exponent; }  // digits before the decimal point
};

Decimal WithoutZeros(Decimal decimal) {
  if (decimal.digits == 0) return {};
  for (; decimal.digits % 10 == 0; ++decimal.exponent) decimal.digits /= 10;
  return decimal;
}

/// The number times 10^`shift`.
Decimal ToDecimal(double number, int shift = 0) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(number), std::chars_format::scientific)
          .ptr;
  const std::string text(buffer, end);
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  std::erase(digits, '.');
  const int exponent = std::stoi(text.substr(e + 1)) - static_cast<int>(digits.size()) + 1 + shift;
  return WithoutZeros({std::signbit(number), std::stoull(digits), exponent});
}

// Keeps `places` digits after the decimal point.
Decimal Rounded(Decimal decimal, int places, Rounding rounding) {
  if (decimal.exponent >= -places) return decimal;
  std::uint64_t cut = 0;  // the first digit that is
  for (; decimal.exponent < -places; ++decimal.exponent) {
    cut = decimal.digits % 10;
    decimal.digits /= 10;
  }
  const Rounding away = decimal.negative ? Rounding::kDown : Rounding::kUp;
  if (rounding == Rounding::kNearest ? cut >= 5 : rounding == away) ++decimal.digits;
  return WithoutZeros(decimal);
}

// Fixed notation with thousands apart; at least `places` decimals. From 10^15 on with an exponent.
std::string Fixed(const Decimal& decimal, std::size_t places = 0) {
  std::string whole = std::to_string(decimal.digits), fraction;
  const char* sign = decimal.negative ? "-" : "";
  if (decimal.Point() > 15) {
    return fmt::format("{}{}.{}e{}", sign, whole[0], (whole + "00").substr(1, 2),
                       decimal.Point() - 1);
  }
  const auto shift = static_cast<std::size_t>(std::abs(decimal.exponent));
  if (decimal.exponent >= 0) {
    whole.append(shift, '0');
  } else {
    if (whole.size() <= shift) whole.insert(0, shift + 1 - whole.size(), '0');
    fraction = whole.substr(whole.size() - shift);
    whole.resize(whole.size() - shift);
  }
  if (fraction.size() < places) fraction.resize(places, '0');
  return fmt::format("{}{}{}{}", sign, fmt::group_digits(std::stoull(whole)),
                     fraction.empty() ? "" : ".", fraction);
}

// Up to four significant digits whole, others rounded to three. A bound of five digits that is
// whole milliseconds is most likely a bucket's own (16.384) and stays.
std::string Significant(const Decimal& decimal, Rounding rounding) {
  const bool bucket =
      rounding != Rounding::kNearest && decimal.Size() == 5 && decimal.exponent >= -3;
  if (bucket || (decimal.Size() <= 4 && decimal.exponent >= -6)) return Fixed(decimal);
  return Fixed(Rounded(decimal, std::max(0, 3 - decimal.Point()), rounding));
}

struct NumberAndUnit {
  std::string number, unit;
};

NumberAndUnit SecondsText(double seconds, Rounding rounding) {
  const Decimal decimal = ToDecimal(seconds);
  if (decimal.Point() >= 1) return {Significant(decimal, rounding), "s"};
  // A rounding up to 1,000 ms reads badly, but it is rare and true.
  const bool milli = decimal.Point() > -3;
  return {Significant(ToDecimal(seconds, milli ? 3 : 6), rounding), milli ? "ms" : "µs"};
}

NumberAndUnit PercentText(double fraction, Rounding rounding) {
  const std::size_t places = fraction == 0 ? 0 : 1;
  return {Fixed(Rounded(ToDecimal(fraction, 2), 1, rounding), places), "%"};
}

bool Known(const std::optional<double>& number) { return number && std::isfinite(*number); }

std::string Join(const Messages& t, const NumberAndUnit& text) {
  return t("number.unit", text.number, text.unit);
}

std::string Range(const Messages& t, const Interval& interval,
                  NumberAndUnit (*print)(double, Rounding)) {
  const bool low = Known(interval.low), high = Known(interval.high);
  if (!low && !high) return kUnknown;
  if (!high) return t("number.at_least", Join(t, print(*interval.low, Rounding::kDown)));
  if (!low) return t("number.at_most", Join(t, print(*interval.high, Rounding::kUp)));
  const NumberAndUnit from = print(*interval.low, Rounding::kDown);
  const NumberAndUnit to = print(*interval.high, Rounding::kUp);
  if (from.unit != to.unit) return t("number.range", Join(t, from), Join(t, to));
  if (from.number == to.number) return Join(t, from);
  return from.number + "–" + Join(t, to);
}

}  // namespace

std::string CleanUtf8(std::string_view text) {
  std::string out;
  EachCharacter(text, [&](char32_t code) { AppendUtf8(out, code); });
  return out;
}

std::string Visible(std::string_view text) { return VisibleWith(text, {}); }

std::string Shorten(std::string_view text, std::size_t limit) {
  // Before it is cut: a part of a secret is not known as one.
  const std::string whole = MaskKnownSecrets(std::string(text));
  const std::string_view utf8 = whole;
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < utf8.size(); at += NextCharacter(utf8.substr(at)).bytes) {
    starts.push_back(at);
  }
  if (starts.size() <= limit || limit < 3) return std::string(utf8);
  const std::size_t tail = (limit - 1) / 2, head = limit - 1 - tail;
  return std::string(utf8.substr(0, starts[head])) + "…" +
         std::string(utf8.substr(starts[starts.size() - tail]));
}

std::string ShortenProse(std::string_view utf8, std::size_t limit) {
  std::size_t plain = 0;
  bool code = false;
  for (std::size_t at = 0; at < utf8.size() && utf8.size() <= 4 * kLongestQuery; ++at) {
    if (utf8[at] == '`') code = !code;
    if (!code && (static_cast<unsigned char>(utf8[at]) & 0xC0) != 0x80) ++plain;
  }
  const bool whole = !code && plain <= limit && utf8.size() <= 4 * kLongestQuery;
  return whole ? std::string(utf8) : Shorten(utf8, limit);
}

std::string_view WithoutLastSentence(std::string_view text) {
  std::size_t end = 0;
  bool code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') code = !code;
    const std::string_view left = text.substr(i);
    const bool wide = left.starts_with("；") || left.starts_with("。");
    const bool full_stop = left.starts_with(". ") && i > 0 && text[i - 1] != '.';
    if (code || left.size() <= 3 || !(wide || full_stop || left.starts_with("; "))) continue;
    end = full_stop ? i + 1 : left.starts_with("。") ? i + 3 : i;
  }
  return text.substr(0, end);
}

std::string ShortenToSentences(std::string_view utf8, std::size_t limit) {
  for (std::string_view left = utf8; !left.empty(); left = WithoutLastSentence(left)) {
    if (Shorten(left, limit) == left) return std::string(left);
    utf8 = left;
  }
  return Shorten(utf8, limit);
}

std::string WithCode(std::string_view text, bool empty_pair_is_code,
                     const std::function<std::string(std::string_view)>& plain,
                     const std::function<std::string(std::string_view)>& code) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == text.npos ? open : text.find('`', open + 1);
    if (close == text.npos || (close == open + 1 && !empty_pair_is_code)) return out + plain(text);
    out += plain(text.substr(0, open)) + code(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
  return out;
}

int DisplayWidth(std::string_view utf8) {
  static const std::vector<CodeRange> kWide = {
      {0x1100, 0x115F}, {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},  {0x4E00, 0x9FFF},
      {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF00, 0xFF60},
      {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  static const std::vector<CodeRange> kCombining = {
      {0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
  int width = 0;
  EachCharacter(utf8, [&](char32_t code) {
    const bool latin = code < 0x300;  // nearly all are
    if (latin || !In(code, kCombining)) width += !latin && In(code, kWide) ? 2 : 1;
  });
  return width;
}

int RowsOf(std::string_view line, int columns) {
  int rows = 1, column = 0;
  for (std::size_t at = 0, end = 0; at < line.size(); at = end) {
    const bool color = line.substr(at).starts_with("\x1b[");
    end = color ? std::min(line.find('m', at), line.size() - 1) + 1 : at + 1;
    while (!color && end < line.size() && (line[end] & 0xc0) == 0x80) ++end;
    const int width = color ? 0 : DisplayWidth(line.substr(at, end - at));
    if (column + width > columns) ++rows, column = 0;
    column += width;
  }
  return rows;
}

std::string EscapeHtml(std::string_view text) {
  return VisibleWith(
      text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string EscapeMarkdown(std::string_view text) {
  // Without an @ no bracket starts a mention or an autolink.
  const std::string visible =
      VisibleWith(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'@', "&#64;"}});
  const auto is_word = [&](std::size_t i) {
    return i < visible.size() && (std::isalnum(static_cast<unsigned char>(visible[i])) != 0 ||
                                  static_cast<unsigned char>(visible[i]) >= 0x80);
  };
  const std::size_t number_end = visible.find_first_not_of("0123456789");
  std::string out;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    const char c = visible[i];
    const bool before_space = i + 1 >= visible.size() || visible[i + 1] == ' ';
    const bool bullet = i == 0 && (c == '#' || ((c == '+' || c == '-') && before_space));
    const bool numbered = i > 0 && i == number_end && (c == '.' || c == ')') && before_space;
    const bool inside_word = c == '_' && i > 0 && is_word(i - 1) && is_word(i + 1);
    const bool formats = std::strchr("\\`*_[]|~", c) != nullptr && !inside_word;
    if (bullet || numbered || formats) out += '\\';
    out += c;
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  const std::string body = VisibleWith(text, {{'|', "\\|"}});
  std::size_t longest = 0, run = 0;
  for (const char c : body) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  const bool pad = body.empty() || body.front() == '`' || body.back() == '`';
  return fence + (pad ? " " : "") + body + (pad ? " " : "") + fence;
}

std::string EscapeSlack(std::string_view text) {
  // Slack has no escape for its formatting characters; a look-alike cannot pair.
  return VisibleWith(
      text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'`', "'"}, {'*', "∗"}, {'~', "∼"}});
}

std::string SlackCode(std::string_view text) {
  return "`" + VisibleWith(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}}) + "`";
}

std::string UrlPart(std::string_view text, std::string_view stays) {
  std::string out;
  for (const char& c : text) {
    const bool plain = stays.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : PercentEncode(std::string_view(&c, 1));
  }
  return out;
}

std::string TableUrl(const SourceInfo& source, std::string_view promql, TimeMs at) {
  const std::string page = PageOf(source, promql);
  const std::string time = PercentEncode(DateAndTime(at));
  return page.empty() ? "" : page + "&g0.tab=1&g0.moment_input=" + time + "&g0.end_input=" + time;
}

std::string GraphUrl(const SourceInfo& source, std::string_view promql, const TimeRange& range) {
  const std::string page = PageOf(source, promql);
  if (page.empty()) return "";
  const TimeMs length = std::max<TimeMs>(60'000, (range.end - range.start) / 1000 * 1000);
  return page + "&g0.tab=0&g0.range_input=" + FormatDuration(length) +
         "&g0.end_input=" + PercentEncode(DateAndTime(range.end));
}

bool IsWebLink(std::string_view text) {
  if (!text.starts_with("http://") && !text.starts_with("https://")) return false;
  return std::ranges::all_of(text, [](unsigned char c) {
    return c > ' ' && c < 0x7F &&
           std::string_view("<>|\"'`\\").find(static_cast<char>(c)) == std::string_view::npos;
  });
}

std::string Seconds(const Messages& t, std::optional<double> seconds, Rounding rounding) {
  return Known(seconds) ? Join(t, SecondsText(*seconds, rounding)) : kUnknown;
}

std::string SignedSeconds(const Messages& t, std::optional<double> seconds) {
  if (!Known(seconds)) return kUnknown;
  return (*seconds > 0 ? "+" : "") + Seconds(t, seconds);
}

std::string Percent(const Messages& t, std::optional<double> fraction) {
  return Known(fraction) ? Join(t, PercentText(*fraction, Rounding::kNearest)) : kUnknown;
}

std::string Count(std::optional<double> count) {
  if (!Known(count)) return kUnknown;
  return Fixed(Rounded(ToDecimal(*count), std::abs(*count) < 10 ? 2 : 0, Rounding::kNearest));
}

std::string QuantileName(double q) {
  return std::isfinite(q) ? "p" + Fixed(ToDecimal(q, 2)) : "p?";
}

std::string SecondsRange(const Messages& t, const Interval& interval) {
  return Range(t, interval, SecondsText);
}
std::string PercentRange(const Messages& t, const Interval& interval) {
  return Range(t, interval, PercentText);
}

double GreatestOf(const std::vector<double>& values) {
  double greatest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) greatest = std::max(greatest, value);
  }
  return greatest;
}

Interval BoundsOf(const Measured& measured) { return {measured.low, measured.high}; }

bool HasRange(const Measured& measured) {
  if (!Known(measured.low) && !Known(measured.high)) return false;
  return measured.low != measured.value || measured.high != measured.value;
}

std::string TimeOfDay(TimeMs time, const Zone& zone) {
  const std::string text = DateAndTime(time, zone);
  return text.substr(text.find(' ') + 1);
}

std::string RangeText(const TimeRange& range, const std::string& to, const Zone& zone) {
  // From ten seconds on, milliseconds are noise.
  const TimeMs exact = range.end - range.start;
  const TimeMs length = exact < 10'000 ? exact : (exact + 500) / 1000 * 1000;
  const std::string start = DateAndTime(range.start, zone);
  std::string end = DateAndTime(range.end, zone);
  if (start.substr(0, start.find(' ')) == end.substr(0, end.find(' '))) {
    end = TimeOfDay(range.end, zone);
  }
  const std::string last = ZoneText(zone, range.end);
  const std::string first = ZoneText(zone, range.start);
  return start + (first == last ? "" : " " + first) + " " + to + " " + end + " " + last + " (" +
         FormatDuration(length) + ")";
}

}  // namespace schedlens
