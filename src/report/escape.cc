#include "report/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/secrets.h"
#include "base/text.h"
#include "base/url.h"
#include "base/utf8.h"
#include "report/format.h"

namespace schedlens {

namespace {

struct CodeRange {
  char32_t first, last;
};

bool In(char32_t code, const std::vector<CodeRange>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
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
    const auto found = std::find_if(special.begin(), special.end(),
                                    [c](const auto& one) { return one.first == c; });
    if (found == special.end()) {
      out += c;
    } else {
      out += found->second;
    }
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

}  // namespace

std::string CleanUtf8(std::string_view text) {
  std::string out;
  EachCharacter(text, [&](char32_t code) { AppendUtf8(out, code); });
  return out;
}

std::string Visible(std::string_view text) { return VisibleWith(text, {}); }

std::string Shorten(std::string_view utf8, std::size_t limit) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < utf8.size(); at += NextCharacter(utf8.substr(at)).bytes) {
    starts.push_back(at);
  }
  if (starts.size() <= limit || limit < 3) return std::string(utf8);
  const std::size_t tail = (limit - 1) / 2;
  const std::size_t head = limit - 1 - tail;
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

int DisplayWidth(std::string_view utf8) {
  static const std::vector<CodeRange> kWide = {
      {0x1100, 0x115F}, {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},  {0x4E00, 0x9FFF},
      {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF00, 0xFF60},
      {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  static const std::vector<CodeRange> kCombining = {
      {0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
  int width = 0;
  EachCharacter(utf8, [&](char32_t code) {
    if (code < 0x300) {
      ++width;
    } else if (In(code, kWide)) {
      width += 2;
    } else if (!In(code, kCombining)) {
      ++width;
    }
  });
  return width;
}

std::string EscapeHtml(std::string_view text) {
  return VisibleWith(
      text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string EscapeMarkdown(std::string_view text) {
  const std::string visible = Visible(text);
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
    const bool starts_block = bullet || numbered;
    const bool inside_word = c == '_' && i > 0 && is_word(i - 1) && is_word(i + 1);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '@') {
      out += "&#64;";  // no bracket starts a mention or an autolink
    } else if (starts_block || (std::strchr("\\`*_[]|~", c) != nullptr && !inside_word)) {
      out += {'\\', c};
    } else {
      out += c;
    }
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  const std::string visible = Visible(text);
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : visible) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  std::string body;
  for (const char c : visible) body += c == '|' ? std::string("\\|") : std::string(1, c);
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
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > ' ' && c < 0x7F &&
           std::string_view("<>|\"'`\\").find(static_cast<char>(c)) == std::string_view::npos;
  });
}

}  // namespace schedlens
