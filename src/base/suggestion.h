#pragma once

#include <algorithm>

#include "base/text.h"

namespace schedlens {

/// `; did you mean X?` with the known word that begins so or is at most two letters away, else
/// `otherwise`. Which of two equally near ones does not depend on their order.
inline std::string Suggestion(const std::string& word, std::vector<std::string> known,
                              const std::string& otherwise = ".") {
  constexpr std::size_t kMistyped = 2;
  std::ranges::sort(known);
  const std::string near = Nearest(word, known);
  const bool begun = word.size() > kMistyped && near.starts_with(word);
  const bool meant = !known.empty() && (begun || EditDistance(word, near) <= kMistyped);
  return meant ? fmt::format("; did you mean {}?", near) : otherwise;
}

}  // namespace schedlens
