#include "cli/one_line.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/secrets.h"
#include "report/escape.h"

namespace schedlens {
namespace {

constexpr std::size_t kLongestWord = 200;
constexpr std::size_t kLongestLine = 4000;

/// Input of any length may be quoted; its beginning and its end tell which it was.
std::string WithoutLongWords(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    out += Shorten(text.substr(0, end), kLongestWord);
    if (end < text.size()) out += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string OneLine(std::string text) {
  text = MaskKnownSecrets(std::move(text));  // before it is cut
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  text = HideSecrets(text);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return Shorten(WithoutLongWords(text), kLongestLine);
}

}  // namespace schedlens
