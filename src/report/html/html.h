#pragma once

// The building blocks of the pages. Arguments named `html` are markup; all others are text and are
// escaped here.

#include "report/sections.h"

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
/// Each with its query as code folded away below, with a link that opens it at the item's time when
/// `source` is a Prometheus URL; where the text holds it as code, it is only named there.
std::string HtmlList(const Messages& t, const SourceInfo& source, const std::vector<Item>& items);
/// The page's style sheet: light and dark by the reader's preference, narrow and wide, print.
std::string_view HtmlStyle();
/// What HtmlPage fills in, in its order.
std::string_view PageTemplate();

// Plots as inline SVG, and what they are made of.

/// A plot as an HTML figure: labels are HTML, the picture is an inline SVG that stretches, so that
/// text keeps its size at any width.
std::string DrawPlot(const Plot& plot);

/// A coordinate with at most one decimal.
std::string Coordinate(double value);
/// An SVG rectangle of that class.
std::string HtmlRect(std::string_view css, double left, double width, double top, double height);

}  // namespace schedlens
