#include "sim/engine/text_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace schedlens::sim {
namespace {

constexpr std::size_t kColumns = 80;

}  // namespace

void PutWrapped(Lines& lines, std::string text, std::size_t hang) {
  const std::string indent(hang, ' ');
  while (text.size() > kColumns) {
    std::size_t cut = text.rfind(' ', kColumns);
    const std::size_t start = text.find_first_not_of(' ');
    if (cut == std::string::npos || cut <= std::max(hang, start)) cut = text.find(' ', kColumns);
    if (cut == std::string::npos) break;
    lines.push_back(text.substr(0, cut));
    text = indent + text.substr(cut + 1);
  }
  lines.push_back(std::move(text));
}

std::string Some(const std::vector<std::string>& names, std::size_t shown) {
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format(
      "{} and {} more",
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      names.size() - shown);
}

}  // namespace schedlens::sim
