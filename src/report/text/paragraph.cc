#include "report/text/paragraph.h"

#include <vector>

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
    if (!empty && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = rest;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return out + line + "\n";
}

}  // namespace schedlens
