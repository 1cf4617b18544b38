#pragma once

// Text from outside (label values, server warnings, file names) made safe for each place it is
// shown in. Nothing from outside reaches an output without passing through here. Known secrets are
// masked before a text is cut or spelled in a way of its own.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/series.h"
#include "base/source.h"

namespace schedlens {

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

/// Queries and commands are whole up to so many characters.
inline constexpr std::size_t kLongestQuery = 4000;

/// Columns a terminal needs: 2 for East Asian wide characters, 0 for combining marks.
int DisplayWidth(std::string_view utf8);

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

}  // namespace schedlens
