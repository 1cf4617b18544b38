#ifndef SCHEDLENS_REPORT_HTML_PARTS_H_
#define SCHEDLENS_REPORT_HTML_PARTS_H_

// The building blocks of the page. Arguments named `html` are markup; all others are text and are
// escaped here.

#include <string>
#include <string_view>

#include "report/tables.h"

namespace schedlens {

/// Text from outside, cut to `limit` characters and escaped.
std::string HtmlText(std::string_view text, std::size_t limit = 1000);
/// The same, with text between backticks as code.
std::string HtmlProse(std::string_view text, std::size_t limit = 1000);
/// `<data value="3.8417">3.84 s</data>`: the number as in the JSON, and the one people read.
std::string HtmlNumber(const TableCell& cell);
/// A name that may be broken after these: `scheduler_e2e_...`, `algorithm.filter/NodeAffinity`.
std::string HtmlName(std::string_view text);
/// A table in a box of its own that scrolls when the page is narrow; empty without rows.
std::string HtmlTable(std::string_view caption, const ReportTable& table);
/// A picture of one row, 1000 wide and 20 high, as the SVG `shapes` draw it; `title` is what it
/// says.
std::string HtmlBar(std::string_view title, std::string_view shapes);
std::string HtmlDetails(std::string_view summary, std::string_view html);
/// Everything up to `</head>`, in the reader's language. Its policy forbids what the page does not
/// need (scripts, network, frames, forms), whatever a label value may contain.
std::string HtmlHead(const Messages& t, std::string_view title);
/// What the page's numbers and times are: the footer's sentence.
std::string HtmlNumbers(const Messages& t);
/// A heading that can be linked to, and what belongs under it; empty when `html` is.
std::string HtmlSection(std::string_view id, std::string_view title, std::string_view html);
/// `<p class="CLASS">`.
std::string HtmlParagraph(std::string_view css, std::string_view html);
std::string HtmlList(const std::vector<std::string>& items);
/// A query as code; with a link that opens it at `at` when `source` is a Prometheus URL.
std::string HtmlQuery(const SourceInfo& source, std::string_view promql, TimeMs at);
/// The same folded away under its name; empty for an empty query.
std::string HtmlQueryFold(std::string_view name, const SourceInfo& source, std::string_view promql,
                          TimeMs at);
/// `sentence` as prose; where it holds the query as code, that is only named there and folded away
/// below.
std::string HtmlWithQuery(std::string_view sentence, std::string_view name,
                          const SourceInfo& source, std::string_view promql, TimeMs at);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_HTML_PARTS_H_
