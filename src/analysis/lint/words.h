#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// Whether `word` is one of `words`; none is in an empty list.
inline bool Contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace schedlens
