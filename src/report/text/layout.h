#pragma once

#include "report/sections.h"

namespace schedlens {

// Paragraphs and tables on a terminal. All text that comes in here is already Visible().

/// The typographic characters that the reports use (dashes, µ, ≤, …) in ASCII; others stay.
std::string Plain(std::string_view text);

/// `text` padded with spaces to `width` columns; longer text is cut and ends in `ellipsis`.
std::string Fit(std::string_view text, int width, bool right, std::string_view ellipsis = "…");

/// `text` and as many blanks as it lacks of `width` columns; it is never cut.
std::string Padded(std::string_view text, int width);

/// Breaks a paragraph at blanks, and between wide characters, into lines of at most `width`
/// columns; the first line starts with `first`, the others with `rest`. A word longer than a line
/// stays whole, and so does text in backquotes: commands are to be copied. Ends with a newline.
std::string Paragraph(std::string_view text, int width, const std::string& first,
                      const std::string& rest);

// Plots of characters: eight levels of blocks, or ASCII.

/// A bar of `width` columns filled to `fraction` (0 to 1, clamped), in eighths of a column. Where
/// `mark` is given, that place shows a tick: the baseline.
std::string TextBar(double fraction, std::optional<double> mark, int width, bool ascii);

/// One column a value from zero to the greatest, NaN as a dot. More values than `width` are
/// thinned, each column showing its greatest.
std::string Sparkline(const std::vector<double>& values, int width, bool ascii);

/// One shade for a cell: 0 is blank, anything above 0 shows. `greatest` fills the cell.
std::string Shade(double value, double greatest, bool ascii);

/// What every section of a report writes with.
struct TextPage {
  explicit TextPage(const RenderOptions& options);

  int width;
  bool color, ascii;
  bool queries;  ///< print the query behind each claim
  Messages t;

  /// The text in that ink; as it is without colour.
  std::string Paint(Ink ink, std::string_view text) const;
  std::string Heading(std::string_view title) const;
  /// Wrapped, each line indented. A word longer than a line is cut, but no name or command.
  std::string Paragraph(Ink ink, std::string_view text, int indent) const;
  /// Wrapped behind a marker: `- `, `1. `.
  std::string Item(std::string_view marker, Ink ink, std::string_view text, int indent,
                   Ink marker_ink = Ink::kPlain) const;
  /// A name, and its text wrapped to the right of it.
  std::string Fact(std::string_view name, std::string_view text) const;
  /// Rows under headings, two spaces apart. Columns that do not fit are left out, by priority; then
  /// the widest column is shortened. Indented by two; empty without rows.
  std::string Table(ReportTable table) const;
};

}  // namespace schedlens
