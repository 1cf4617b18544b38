#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/series.h"
#include "schedlens/error.h"

namespace schedlens {

/// A file as the build put it into the binary: its name without the ending.
struct EmbeddedFile {
  std::string_view name, text;
};

/// Throws Error(kind) with the text, written as fmt::format writes it.
template <typename... Args>
[[noreturn]] void Raise(ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(kind, fmt::format(text, std::forward<Args>(args)...));
}

// Numbers, durations and times as text: read and printed as Prometheus does, without the locale;
// times for a reader in the zone that he asked for.

/// Whether a byte is one of the ASCII digits.
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// With ASCII's capitals as small letters.
std::string InSmallLetters(std::string_view text);

/// With a blank for each control character: what is said of somebody's text stays on its line.
std::string OnOneLine(std::string text);

/// Without the blanks at both ends.
std::string_view Trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

/// The parts of a text between marks; none is empty.
std::vector<std::string_view> SplitAt(std::string_view text, char mark);

/// A backslash before each of the `special` characters; a line end among them becomes `\n`.
std::string Escaped(std::string_view text, std::string_view special);

/// The number that the text is, digits alone, of a signed type with a minus or without; nothing for
/// anything else and beyond the type.
template <typename Int>
std::optional<Int> WholeNumber(std::string_view text, int base = 10) {
  Int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// Go's strconv.ParseFloat, which Prometheus uses for values and `le`: `1e-1`, `.5`, `5.`, hex
/// floats, `inf`/`Infinity`/`nan` in any case (infinity with a sign), `1_0`. Underflow is zero.
/// Nothing for blanks, suffixes, or out-of-range values.
std::optional<double> ParseNumber(std::string_view text);

/// The HTTP API's shortest round-trip form: plain for 1e-6 <= |x| < 1e21, else exponent; `NaN`,
/// `+Inf`, `-Inf`.
std::string FormatNumber(double value);

/// The fewest digits of a finite number that read back as it, in Go's form with an exponent.
std::string Scientific(double value);

/// `5m`, `1h30m`, `250ms`, `1d`, ...: Prometheus durations, in milliseconds. Nothing if malformed.
std::optional<std::int64_t> ParseDuration(std::string_view text);
/// The canonical text: `5m`, `1h30m`, `0s`.
std::string FormatDuration(std::int64_t ms);

/// RFC 3339, unix seconds (fractions allowed), `now`, `now-1h`. Nothing if malformed.
std::optional<TimeMs> ParseTime(std::string_view text, TimeMs now);
/// RFC 3339 in UTC with milliseconds only when they are not zero: `2026-11-21T10:00:00Z`.
std::string FormatTime(TimeMs t);

/// Go's strconv.FormatFloat(value, 'f', -1, 64): the fewest digits that read back as the value, all
/// written out (`-0.0000002`, `1` and 22 zeros); `NaN`, `+Inf`, `-Inf`.
std::string PlainNumber(double value);

/// `UTC`, `Z`, an offset such as `+02:00`, or a name of the IANA's data base such as
/// `Europe/Berlin`, which becomes the zone of the process (the variable TZ): to be called before
/// threads start; the last call counts. Throws Error(kUsage) for a name that is not installed.
Zone ReadZone(const std::string& text);

/// How far east of UTC the zone is at that time.
int OffsetMinutes(const Zone& zone, TimeMs time);

/// `UTC`, or `UTC+08:00`: what stands behind times of that zone. It can be typed in again.
std::string ZoneText(const Zone& zone, TimeMs time);

/// RFC 3339: `2026-11-21T18:00:00+08:00`; in UTC as FormatTime(time).
std::string FormatTime(TimeMs time, const Zone& zone);

// UTF-8, read and written one character at a time.

inline constexpr char32_t kReplacement = 0xFFFD;

struct Character {
  char32_t code = kReplacement;
  std::size_t bytes = 1;  ///< how far to go on; of an ill-formed part, its maximal prefix
  bool well_formed = false;
};

/// The character at the start of `text`, which is not empty. Overlong forms, surrogates, cut
/// sequences and stray bytes read as U+FFFD (Unicode 3.9, "maximal subpart").
Character NextCharacter(std::string_view text);

/// Whether the bytes are UTF-8 without NUL.
bool IsText(std::string_view bytes);

/// `code` is at most 0x1FFFFF; surrogates are not refused.
void AppendUtf8(std::string& out, char32_t code);

// Text as a literal of PromQL, and as a word of a shell.

/// In double quotes, with the escapes of Go's strconv.Quote for what is not printable ASCII; other
/// characters stay.
std::string QuotePromql(std::string_view text);

/// The regular expression that matches just this text. It is not quoted yet.
std::string EscapeRegex(std::string_view text);

/// The text as one word of a shell's command line. Printed, it looks the same as it is: characters
/// that act instead of showing (controls, direction marks) and backquotes, which end a code span,
/// are written out as bytes, `$'\x60'`, as bash, zsh and ksh read them.
std::string ShellWord(std::string_view text);

// "Did you mean": the known word that is closest to a mistyped one.

/// Single-character insertions, deletions, replacements and swaps of neighbouring ones that turn
/// `a` into `b` (optimal string alignment distance), counted in bytes.
std::size_t EditDistance(std::string_view a, std::string_view b);

/// The word of `known` with the smallest edit distance to `word`, the first one of equals. A word
/// that starts with `word` counts as one edit away. Empty when `known` is empty.
std::string Nearest(std::string_view word, const std::vector<std::string>& known);

/// Milliseconds, a time or a difference of two, as seconds.
constexpr double MsToSeconds(TimeMs ms) { return static_cast<double>(ms) / 1000.0; }

/// Unix seconds as a time; nothing for NaN and beyond the year 9999, which no RFC 3339 can print.
inline std::optional<TimeMs> TimeOfSeconds(double seconds) {
  constexpr double kYear10000 = 253402300800.0;
  if (!(std::abs(seconds) < kYear10000)) return std::nullopt;
  return std::llround(seconds * 1000.0);
}

/// The whole number that `value` is cut to, the type's nearest where it is beyond these, 0 for NaN:
/// of such a value a plain cast is undefined.
template <typename Int>
constexpr Int CutTo(double value) {
  using Limits = std::numeric_limits<Int>;
  if (!(value > static_cast<double>(Limits::min()))) return value < 0 ? Limits::min() : Int{0};
  // The double nearest to the largest is at most one more than it.
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<Int>(value);
}

// What changed between two texts: the shortest script (Myers, "An O(ND) difference algorithm and
// its variations", 1986); and changes by position.

/// Pieces [a_begin, a_end) of the one are pieces [b_begin, b_end) of the other; either may be
/// empty.
struct Hunk {
  std::size_t a_begin = 0, a_end = 0;
  std::size_t b_begin = 0, b_end = 0;
};

/// What differs, in order, with at least one equal piece between two hunks. Empty for equal lists.
std::vector<Hunk> Differences(const std::vector<std::string_view>& a,
                              const std::vector<std::string_view>& b);

/// A unified diff with three lines of context, `name` on both of its head lines; empty for equal
/// texts. A last line without an end is marked as diff(1) does.
std::string UnifiedDiff(const std::string& name, std::string_view before, std::string_view after);

/// Bytes [begin, end) of a text become `text`.
struct TextEdit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// The text after these changes, which do not overlap; those at one place in the order given.
std::string Apply(std::string_view text, std::vector<TextEdit> edits);

}  // namespace schedlens
