#include "report/text/paragraph.h"

#include <algorithm>
#include <vector>

#include "report/escape.h"
#include "report/text/layout.h"

namespace schedlens {
namespace {

/// Pieces between blanks; blanks inside backquotes do not separate.
std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : text) {
    if (c == '`') quoted = !quoted;
    if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

std::string Paragraph(std::string_view text, std::size_t width, const std::string& first,
                      const std::string& rest) {
  std::string out;
  std::string line = first;
  bool empty = true;
  for (const std::string& word : Words(text)) {
    std::string_view gap = " ";
    for (const std::string& piece : Pieces(word)) {
      const int columns = DisplayWidth(line) + DisplayWidth(gap) + DisplayWidth(piece);
      if (!empty && columns > static_cast<int>(width)) {
        out += line + "\n";
        line = rest;
        empty = true;
      }
      if (!empty) line += gap;
      line += piece;
      empty = false;
      gap = "";
    }
  }
  return out + line + "\n";
}

std::string Padded(std::string_view text, int width) {
  const int lacking = std::max(0, width - DisplayWidth(text));
  return std::string(text) + std::string(static_cast<std::size_t>(lacking), ' ');
}

}  // namespace schedlens
