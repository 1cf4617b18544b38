#pragma once

#include "report/messages/messages.h"

namespace schedlens {

// Text from outside (label values, server warnings, file names) made safe for each place it is
// shown in. Nothing from outside reaches an output without passing through here. Known secrets are
// masked before a text is cut or spelled in a way of its own.

/// Well-formed UTF-8: each maximal ill-formed part becomes one U+FFFD. Well-formed text is
/// unchanged.
std::string CleanUtf8(std::string_view text);

/// CleanUtf8, and every character that could move the cursor, change direction or hide (C0, DEL,
/// C1, bidirectional marks, zero-width and line separators) is written out: `\x1b`, `\u202e`, `\n`.
std::string Visible(std::string_view text);

/// At most `limit` characters: the middle of a longer text is cut and marked with `…`.
std::string Shorten(std::string_view utf8, std::size_t limit);

/// Shorten, but for text in backquotes, which is to be pasted: it does not count, and where it
/// makes the text long there is no cut. Without bound it is no command.
std::string ShortenProse(std::string_view utf8, std::size_t limit);

/// The text up to its last sentence or clause; empty where it has one alone.
std::string_view WithoutLastSentence(std::string_view text);
/// Without as many of its last sentences as it takes, the first one by Shorten.
std::string ShortenToSentences(std::string_view utf8, std::size_t limit);

/// The text by `plain`, and what stands in backquotes by `code`. All is plain from a backquote on
/// that none closes; from an empty pair on too, unless that is code.
std::string WithCode(std::string_view text, bool empty_pair_is_code,
                     const std::function<std::string(std::string_view)>& plain,
                     const std::function<std::string(std::string_view)>& code);

/// Queries and commands are whole up to so many characters.
inline constexpr std::size_t kLongestQuery = 4000;

/// Columns a terminal needs: 2 for East Asian wide characters, 0 for combining marks.
int DisplayWidth(std::string_view utf8);
/// Rows of so many columns that a line takes on a terminal, its colors left out: a wide character
/// is never cut in two.
int RowsOf(std::string_view line, int columns);

/// Visible text for HTML content and quoted attributes.
std::string EscapeHtml(std::string_view text);

/// Visible text in which nothing is Markdown or HTML; also safe inside a table cell.
std::string EscapeMarkdown(std::string_view text);

/// A Markdown code span that holds any text, safe inside a table cell.
std::string MarkdownCode(std::string_view text);

/// Visible text for Slack's mrkdwn: `&<>` escaped, formatting characters kept from pairing.
std::string EscapeSlack(std::string_view text);

/// A Slack code span: nothing in it is formatted, so only what Slack decodes is written out.
std::string SlackCode(std::string_view text);

/// Percent-encodes all but unreserved characters and those of `stays`.
std::string UrlPart(std::string_view text, std::string_view stays);

/// Where the source's own page answers this query at that time: as a table, or drawn over the
/// length before it. Empty for a source that is no http server. `javascript:...` stays text.
std::string TableUrl(const SourceInfo& source, std::string_view promql, TimeMs at);
std::string GraphUrl(const SourceInfo& source, std::string_view promql, const TimeRange& range);

/// Whether the text is a link that may be printed as one: http or https, nothing in it that ends a
/// link in Slack or HTML.
bool IsWebLink(std::string_view text);

// Numbers as people read them, the same in every format. A number of up to four significant digits
// is printed whole; others are rounded to three. A proven bound is only ever
// rounded outwards, so that what is printed is still proven. What is not finite or absent prints as
// an em dash. Number and unit are apart or not as the language has it: `3.84 s`, `3.84s`.

enum class Rounding { kNearest, kDown, kUp };

inline constexpr const char* kUnknown = "—";

/// `3.84 s`, `184 ms`, `45 µs`, `12,345 s`.
std::string Seconds(const Messages& t, std::optional<double> seconds,
                    Rounding rounding = Rounding::kNearest);
/// A change: `+1.2 s`, `-30 ms`.
std::string SignedSeconds(const Messages& t, std::optional<double> seconds);
/// A fraction as `91.2 %`.
std::string Percent(const Messages& t, std::optional<double> fraction);
/// `1,234`, `0.5`.
std::string Count(std::optional<double> count);
/// `p99`, `p99.9`.
std::string QuantileName(double q);

/// `3.2–4.1 s`, `850 ms – 1.2 s`, `≥ 3.2 s`, `≤ 4.1 s`; an em dash when nothing is proven.
std::string SecondsRange(const Messages& t, const Interval& interval);
/// `90.5–92 %`.
std::string PercentRange(const Messages& t, const Interval& interval);

/// The greatest that is finite and positive; 0 without one.
double GreatestOf(const std::vector<double>& values);

Interval BoundsOf(const Measured& measured);
/// True when the bounds say more than the value: present, and not the value itself.
bool HasRange(const Measured& measured);

/// The part of day alone of DateAndTime.
std::string TimeOfDay(TimeMs time, const Zone& zone = {});
/// `2026-11-21 10:00:00 to 10:05:00 UTC (5m)`, with the message for "to" given.
std::string RangeText(const TimeRange& range, const std::string& to, const Zone& zone = {});

}  // namespace schedlens
