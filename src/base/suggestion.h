#pragma once

// What a user meant who mistyped one of the known words.

#include <algorithm>

#include "base/text.h"

namespace schedlens {

/// The known word that begins so (of three letters and more), or else the one that is at most two
/// letters away, of short words half of their letters; empty where none is. Which of two equally
/// near ones does not depend on their order.
inline std::string Meant(const std::string& word, std::vector<std::string> known) {
  constexpr std::size_t kMistyped = 2;
  std::ranges::sort(known);
  const std::string near = Nearest(word, known);
  const std::size_t letters = word.size() - (word.starts_with("--") ? 2 : 0);
  const bool begun = word.size() > kMistyped && near.starts_with(word);
  const bool slip = !known.empty() && EditDistance(word, near) <= std::min(kMistyped, letters / 2);
  return begun || slip ? near : "";
}

/// `; did you mean X?` with the word that is Meant, else `otherwise`.
inline std::string Suggestion(const std::string& word, std::vector<std::string> known,
                              const std::string& otherwise = ".") {
  const std::string meant = Meant(word, std::move(known));
  return meant.empty() ? otherwise : fmt::format("; did you mean {}?", meant);
}

/// The same of a field or a name in a file: in backquotes, nothing where none is meant.
inline std::string Correction(const std::string& word, std::vector<std::string> known) {
  const std::string meant = Meant(word, std::move(known));
  return meant.empty() ? "" : fmt::format(", did you mean `{}`?", meant);
}

}  // namespace schedlens
