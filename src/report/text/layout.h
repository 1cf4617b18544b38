#ifndef SCHEDLENS_REPORT_TEXT_LAYOUT_H_
#define SCHEDLENS_REPORT_TEXT_LAYOUT_H_

// Paragraphs and tables on a terminal. All text that comes in here is already Visible().

#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

enum class Ink { kPlain, kBold, kDim, kBad, kGood, kUnsure, kAccent };

/// How the terminal is written to.
struct Terminal {
  int width = 100;
  bool color = false;
  bool ascii = false;

  /// The text in that ink; as it is without colour.
  std::string Paint(Ink ink, std::string_view text) const;
};

/// The typographic characters that the reports use (dashes, µ, ≤, …) in ASCII; others stay.
std::string Plain(std::string_view text);

/// Words, blanks, text in backquotes and single wide characters: what a line may be broken between.
/// A mark that closes stays with what it closes, one that opens with what it opens.
std::vector<std::string> Pieces(std::string_view text);

/// Breaks at spaces (between any two wide characters too) so that no line is wider than `width`;
/// a longer word is cut, but never text in backquotes: it is whole on one line, however long. The
/// first line is not indented, the following ones by `hang` columns.
std::vector<std::string> Wrap(std::string_view text, int width, int hang);

/// `text` padded with spaces to `width` columns; longer text is cut and ends in `ellipsis`.
std::string Fit(std::string_view text, int width, bool right, std::string_view ellipsis = "…");

struct Cell {
  std::string text;
  Ink ink = Ink::kPlain;
};

struct Column {
  std::string heading;
  bool right = false;
  int priority = 0;  ///< columns of the highest number go first where the width is short
  int max_width = 40;
};

/// Rows under headings, two spaces apart. Columns that do not fit are left out, by priority; then
/// the widest column is shortened. Indented by two.
std::string Table(const Terminal& terminal, std::vector<Column> columns,
                  std::vector<std::vector<Cell>> rows);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_TEXT_LAYOUT_H_
