#include "report/text/layout.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "model/utf8.h"
#include "report/escape.h"

namespace schedlens {

namespace {

std::string_view AnsiOf(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      return "";
    case Ink::kBold:
      return "1";
    case Ink::kDim:
      return "2";
    case Ink::kBad:
      return "1;31";
    case Ink::kGood:
      return "1;32";
    case Ink::kUnsure:
      return "1;33";
    case Ink::kAccent:
      return "36";
  }
  return "";
}

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

int TableWidth(const std::vector<int>& widths) {
  int total = 0;
  for (const int width : widths) total += width + 2;
  return total;
}

// Leaves columns out, the highest priority number first, until the rest fits or all left matter.
void DropColumns(int width, std::vector<Column>& columns, std::vector<int>& widths,
                 std::vector<std::vector<Cell>>& rows) {
  while (TableWidth(widths) > width) {
    const auto worst =
        std::max_element(columns.begin(), columns.end(),
                         [](const Column& a, const Column& b) { return a.priority < b.priority; });
    if (worst == columns.end() || worst->priority == 0) return;
    const auto at = worst - columns.begin();
    columns.erase(worst);
    widths.erase(widths.begin() + at);
    for (auto& row : rows) row.erase(row.begin() + at);
  }
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
         std::all_of(piece.begin(), piece.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 ||
                  std::string_view("_./:-,;()").find(static_cast<char>(c)) !=
                      std::string_view::npos;
         });
}

}  // namespace

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

std::string Terminal::Paint(Ink ink, std::string_view text) const {
  if (!color || ink == Ink::kPlain || text.empty()) return std::string(text);
  return "\x1b[" + std::string(AnsiOf(ink)) + "m" + std::string(text) + "\x1b[0m";
}

std::string Plain(std::string_view text) {
  static const std::vector<std::pair<char32_t, std::string_view>> kAscii = {
      {0x2013, "-"}, {0x2014, "-"},  {0xB5, "u"},   {0x2026, "..."}, {0x2264, "<="}, {0x2265, ">="},
      {0xB7, "-"},   {0x2192, "->"}, {0x2212, "-"}, {0xA0, " "},     {0x202F, " "},  {0xD7, "x"}};
  std::string out;
  while (!text.empty()) {
    const Character character = NextCharacter(text);
    const auto found = std::find_if(kAscii.begin(), kAscii.end(), [&](const auto& entry) {
      return entry.first == character.code;
    });
    if (found != kAscii.end()) {
      out += found->second;
    } else {
      AppendUtf8(out, character.code);
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

std::vector<std::string> Wrap(std::string_view text, int width, int hang) {
  std::vector<std::string> lines(1);
  int used = 0;
  const auto new_line = [&] {
    lines.back() = TrimmedRight(lines.back());
    lines.emplace_back(static_cast<std::size_t>(hang), ' ');
    used = hang;
  };
  for (const std::string& piece : Pieces(text)) {
    std::string_view rest = piece;
    const int piece_width = DisplayWidth(rest);
    const bool at_start = used == (lines.size() == 1 ? 0 : hang);
    if (rest == " " && (at_start || used + 1 > width)) continue;
    if (used + piece_width > width && !at_start) new_line();
    while (!IsCommand(piece) && !IsName(piece) && DisplayWidth(rest) > std::max(1, width - used)) {
      const std::size_t bytes = FittingBytes(rest, std::max(1, width - used));
      lines.back() += rest.substr(0, bytes);
      rest.remove_prefix(bytes);
      new_line();
    }
    lines.back() += rest;
    used += DisplayWidth(rest);
  }
  lines.back() = TrimmedRight(lines.back());
  return lines;
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

std::string Table(const Terminal& terminal, std::vector<Column> columns,
                  std::vector<std::vector<Cell>> rows) {
  if (terminal.ascii) {
    for (Column& column : columns) column.heading = Plain(column.heading);
    for (auto& row : rows) {
      for (Cell& cell : row) cell.text = Plain(cell.text);
    }
  }
  std::vector<int> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    int width = DisplayWidth(columns[i].heading);
    for (const auto& row : rows) width = std::max(width, DisplayWidth(row[i].text));
    widths.push_back(std::min(width, columns[i].max_width));
  }
  DropColumns(terminal.width, columns, widths, rows);
  while (TableWidth(widths) > terminal.width) {
    int& widest = *std::max_element(widths.begin(), widths.end());
    if (widest <= 4) break;
    --widest;
  }

  const std::string_view ellipsis = terminal.ascii ? "..." : "…";
  std::string heading;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    heading += "  " + Fit(columns[i].heading, widths[i], columns[i].right, ellipsis);
  }
  std::string out = terminal.Paint(Ink::kDim, TrimmedRight(heading)) + "\n";
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool last = i + 1 == columns.size();
      const std::string text = Fit(row[i].text, widths[i], columns[i].right, ellipsis);
      line += "  " + terminal.Paint(row[i].ink, last ? TrimmedRight(text) : text);
    }
    out += TrimmedRight(line) + "\n";
  }
  return out;
}

}  // namespace schedlens
