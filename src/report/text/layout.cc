#include "report/text/layout.h"

#include <array>
#include <cctype>

#include "base/not_finite.h"
#include "report/format.h"

namespace schedlens {
namespace {

// Bars, sparklines and heatmaps of characters: eight levels of blocks, or ASCII.

constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> kAsciiShades = {" ", ".", ":", "-", "=",
                                                          "+", "*", "#", "@"};
constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

std::string_view Level(int level, bool ascii) {
  const auto at = static_cast<std::size_t>(std::clamp(level, 0, 8));
  return ascii ? kAsciiShades[at] : kBlocks[at];
}

std::string Spaces(int count) { return std::string(static_cast<std::size_t>(count), ' '); }

// True where `before`, a space and `after` are a number and its unit: "3 s" stays on one line.
bool NumberAndUnit(std::string_view before, std::string_view after) {
  if (before.empty() || before.back() < '0' || before.back() > '9') return false;
  const std::string_view unit = after.substr(0, after.find_first_of(" ,;:.)"));
  return unit == "s" || unit == "ms" || unit == "µs" || unit == "us" || unit == "%";
}

bool IsOneOf(std::string_view characters, std::string_view one) {
  return !one.empty() && characters.find(one) != std::string_view::npos;
}

// Text in backquotes is to be pasted: it is one piece.
bool IsCommand(std::string_view piece) {
  return piece.substr(0, 2).find('`') != std::string_view::npos && piece.rfind('`') > 1;
}

// The longest start of `text` that fits in `width` columns, at least one character.
std::size_t FittingBytes(std::string_view text, int width) {
  std::size_t bytes = 0;
  int used = 0;
  while (bytes < text.size()) {
    const std::size_t next = NextCharacter(text.substr(bytes)).bytes;
    used += DisplayWidth(text.substr(bytes, next));
    if (used > width && bytes > 0) break;
    bytes += next;
  }
  return bytes;
}

std::string TrimmedRight(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// A metric's name or a path is to be pasted too. What is longer is no name that anybody has.
bool IsName(std::string_view piece) {
  constexpr std::size_t kLongestName = 100;
  return piece.size() <= kLongestName && piece.find("..") == std::string_view::npos &&
         piece.find_first_of("_./:") != std::string_view::npos &&
         std::ranges::all_of(piece, [](unsigned char c) {
           return std::isalnum(c) != 0 ||
                  std::string_view("_./:-,;()").find(static_cast<char>(c)) !=
                      std::string_view::npos;
         });
}

/// Words, blanks, text in backquotes and single wide characters: what a line may be broken between.
/// A mark that closes stays with what it closes, one that opens with what it opens.
std::vector<std::string> Pieces(std::string_view text) {
  constexpr std::string_view kClosing = "，。；：、？！）”》";
  constexpr std::string_view kOpening = "（“《";
  std::vector<std::string> pieces(1);
  while (!text.empty()) {
    std::size_t bytes = NextCharacter(text).bytes;
    if (text.front() == '`' && text.find('`', 1) != std::string_view::npos) {
      bytes = text.find('`', 1) + 1;
    }
    const std::string_view character = text.substr(0, bytes);
    text.remove_prefix(bytes);
    if (bytes > 1 && character.front() == '`') {
      pieces.back() += character;
    } else if (character == " " && !NumberAndUnit(pieces.back(), text)) {
      if (!pieces.back().empty()) pieces.emplace_back();
      pieces.back() = " ";
      pieces.emplace_back();
    } else if (bytes > 1 && IsOneOf(kClosing, character)) {
      const bool after_wide =
          pieces.back().empty() && pieces.size() > 1 && pieces[pieces.size() - 2] != " ";
      (after_wide ? pieces[pieces.size() - 2] : pieces.back()) += character;
      if (!after_wide) pieces.emplace_back();
    } else if (bytes > 1 && IsOneOf(kOpening, character)) {
      if (!pieces.back().empty()) pieces.emplace_back();
      pieces.back() = character;
    } else if (DisplayWidth(character) == 2) {
      if (!pieces.back().empty() && !IsOneOf(kOpening, pieces.back())) pieces.emplace_back();
      pieces.back() += character;
      pieces.emplace_back();
    } else {
      pieces.back() += character;
    }
  }
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

/// Breaks at spaces (between any two wide characters too) so that the first line is no wider than
/// `first` and the others than `rest`. A longer word stays whole, or is `cut`: but never text in
/// backquotes or a name.
std::vector<std::string> Wrap(std::string_view text, int first, int rest, bool cut) {
  std::vector<std::string> lines(1);
  int used = 0;
  const auto room = [&] { return (lines.size() == 1 ? first : rest) - used; };
  const auto new_line = [&] {
    lines.back() = TrimmedRight(lines.back());
    lines.emplace_back();
    used = 0;
  };
  for (const std::string& piece : Pieces(text)) {
    std::string_view left = piece;
    if (left == " " && (used == 0 || room() < 1 || lines.back().back() == ' ')) continue;
    if (DisplayWidth(left) > room() && used > 0) new_line();
    while (cut && !IsCommand(piece) && !IsName(piece) && DisplayWidth(left) > std::max(1, room())) {
      const std::size_t bytes = FittingBytes(left, std::max(1, room()));
      lines.back() += left.substr(0, bytes);
      left.remove_prefix(bytes);
      new_line();
    }
    lines.back() += left;
    used += DisplayWidth(left);
  }
  lines.back() = TrimmedRight(lines.back());
  return lines;
}

int TableWidth(const std::vector<int>& widths) {
  int total = 0;
  for (const int width : widths) total += width + 2;
  return total;
}

void DropColumn(std::ptrdiff_t at, ReportTable& table) {
  table.columns.erase(table.columns.begin() + at);
  for (TableRow& row : table.rows) row.erase(row.begin() + at);
}

/// Leaves columns out in which no row has anything.
void DropEmptyColumns(ReportTable& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const auto empty = [&](const TableRow& row) { return row[i].text.empty(); };
    if (std::ranges::all_of(table.rows, empty)) DropColumn(static_cast<std::ptrdiff_t>(i), table);
  }
}

// Leaves columns out, the highest priority number first, until the rest fits or all left matter.
void DropColumns(int width, ReportTable& table, std::vector<int>& widths) {
  auto& columns = table.columns;
  while (TableWidth(widths) > width) {
    const auto worst = std::ranges::max_element(columns, {}, &TableColumn::priority);
    if (worst == columns.end() || worst->priority == 0) return;
    const auto at = worst - columns.begin();
    DropColumn(at, table);
    widths.erase(widths.begin() + at);
  }
}

}  // namespace

std::string TextBar(double fraction, std::optional<double> mark, int width, bool ascii) {
  const double filled = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) * width : 0;
  const int whole = static_cast<int>(filled);
  auto eighths = static_cast<std::size_t>((filled - whole) * 8);
  // Something is never drawn as nothing.
  if (whole == 0 && eighths == 0 && fraction > 0) eighths = 1;
  int tick = -1;
  if (mark && std::isfinite(*mark)) {
    tick = std::min(static_cast<int>(std::clamp(*mark, 0.0, 1.0) * width), width - 1);
  }
  std::string bar;
  for (int i = 0; i < width; ++i) {
    if (i == tick) {
      bar += ascii ? "|" : "┃";
    } else if (i < whole) {
      bar += ascii ? "#" : "█";
    } else if (i > whole || eighths == 0) {
      bar += " ";
    } else {
      bar += ascii ? (eighths >= 4 ? "#" : "=") : kEighths[eighths];
    }
  }
  return bar;
}

std::string Sparkline(const std::vector<double>& values, int width, bool ascii) {
  const std::size_t groups = std::min(values.size(), static_cast<std::size_t>(std::max(width, 1)));
  std::vector<double> tops(groups, kNaN);
  double greatest = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    const std::size_t end = (i + 1) * values.size() / groups;
    for (std::size_t j = i * values.size() / groups; j < end; ++j) {
      // The comparison is false for NaN on either side.
      if (std::isfinite(values[j]) && !(values[j] <= tops[i])) tops[i] = values[j];
    }
    if (tops[i] > greatest) greatest = tops[i];
  }
  std::string line;
  for (const double top : tops) {
    if (std::isnan(top)) {
      line += ascii ? "." : "·";
    } else {
      const int level = greatest > 0 ? 1 + static_cast<int>(std::max(0.0, top) / greatest * 7) : 1;
      line += ascii && level == 1 ? "_" : Level(level, ascii);
    }
  }
  return line;
}

std::string Shade(double value, double greatest, bool ascii) {
  if (!(value > 0) || !(greatest > 0)) return " ";
  // Counts of neighbouring buckets differ by powers of ten: the square root keeps the small
  // visible.
  const double part = std::sqrt(std::min(1.0, value / greatest));
  return std::string(Level(1 + static_cast<int>(part * 7), ascii));
}

std::string Plain(std::string_view text) {
  static const std::vector<std::pair<char32_t, std::string_view>> kAscii = {
      {0x2013, "-"},  {0x2014, "-"}, {0xB5, "u"},  {0x2026, "..."}, {0x2264, "<="},
      {0x2265, ">="}, {0xB7, "-"},   {0xB1, "+-"}, {0x2192, "->"},  {0x2212, "-"},
      {0xA0, " "},    {0x202F, " "}, {0xD7, "x"}};
  std::string out;
  while (!text.empty()) {
    const Character character = NextCharacter(text);
    const auto found =
        std::ranges::find(kAscii, character.code, &std::pair<char32_t, std::string_view>::first);
    if (found != kAscii.end()) out += found->second;
    if (found == kAscii.end()) AppendUtf8(out, character.code);
    text.remove_prefix(character.bytes);
  }
  return out;
}

std::string Fit(std::string_view text, int width, bool right, std::string_view ellipsis) {
  std::string fitted(text);
  if (DisplayWidth(fitted) > width) {
    const int room = width - DisplayWidth(ellipsis);
    fitted = fitted.substr(0, room > 0 ? FittingBytes(fitted, room) : 0) + std::string(ellipsis);
  }
  const std::string pad(static_cast<std::size_t>(std::max(0, width - DisplayWidth(fitted))), ' ');
  return right ? pad + fitted : fitted + pad;
}

std::string Padded(std::string_view text, int width) {
  return std::string(text) + Spaces(std::max(0, width - DisplayWidth(text)));
}

std::string Paragraph(std::string_view text, int width, const std::string& first,
                      const std::string& rest) {
  std::string out;
  for (const std::string& line :
       Wrap(text, width - DisplayWidth(first), width - DisplayWidth(rest), false)) {
    out += (out.empty() ? first : rest) + line + "\n";
  }
  return out;
}

TextPage::TextPage(const RenderOptions& options)
    : width(std::clamp(options.width, 40, 400)),
      color(options.color),
      ascii(options.ascii),
      queries(options.queries),
      t(options.lang, options.zone) {}

std::string TextPage::Paint(Ink ink, std::string_view text) const {
  static constexpr const char* kAnsi[] = {"", "1", "2", "1;31", "1;32", "1;33", "36"};
  if (!color || ink == Ink::kPlain || text.empty()) return std::string(text);
  return "\x1b[" + std::string(kAnsi[static_cast<int>(ink)]) + "m" + std::string(text) + "\x1b[0m";
}

std::string TextPage::Heading(std::string_view title) const {
  return "\n" + Paragraph(Ink::kBold, title, 0);
}

std::string TextPage::Paragraph(Ink ink, std::string_view text, int indent) const {
  return Item("", ink, text, indent);
}

std::string TextPage::Item(std::string_view marker, Ink ink, std::string_view text, int indent,
                           Ink marker_ink) const {
  const int hang = indent + DisplayWidth(marker);
  std::string out;
  for (const std::string& line :
       Wrap(ascii ? Plain(text) : std::string(text), width - hang, width - hang, true)) {
    out += out.empty() ? Spaces(indent) + Paint(marker_ink, marker) : Spaces(hang);
    out += Paint(ink, line) + "\n";
  }
  return out;
}

std::string TextPage::Fact(std::string_view name, std::string_view text) const {
  constexpr int kNameWidth = 10;
  return Item(Fit(name, kNameWidth, false), Ink::kPlain, text, 0, Ink::kDim);
}

std::string TextPage::Table(ReportTable table) const {
  if (table.rows.empty()) return "";
  DropEmptyColumns(table);
  for (auto& row : table.rows) {
    for (TableCell& cell : row) {
      cell.text = Spaces(2 * std::min(cell.depth, 6)) + (ascii ? Plain(cell.text) : cell.text);
    }
  }
  std::vector<int> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    TableColumn& column = table.columns[i];
    if (ascii) column.heading = Plain(column.heading);
    int needed = DisplayWidth(column.heading);
    for (const auto& row : table.rows) needed = std::max(needed, DisplayWidth(row[i].text));
    widths.push_back(std::min(needed, column.max_width));
  }
  const std::size_t columns = table.columns.size();
  DropColumns(width, table, widths);
  while (TableWidth(widths) > width) {
    int& widest = *std::ranges::max_element(widths);
    if (widest <= 4) break;
    --widest;
  }
  const auto fit = [&](const std::string& text, std::size_t i) {
    return Fit(text, widths[i], table.columns[i].right, ascii ? "..." : "…");
  };
  std::string heading;
  for (std::size_t i = 0; i < widths.size(); ++i)
    heading += "  " + fit(table.columns[i].heading, i);
  std::string out = Paint(Ink::kDim, TrimmedRight(heading)) + "\n";
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string text = fit(row[i].text, i);
      line += "  " + Paint(row[i].ink, i + 1 == row.size() ? TrimmedRight(text) : text);
    }
    out += TrimmedRight(line) + "\n";
  }
  return table.columns.size() == columns ? out : out + Item("", Ink::kDim, t("table.wider"), 2);
}

}  // namespace schedlens
