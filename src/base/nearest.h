#pragma once

// "Did you mean": the known word that is closest to a mistyped one.

#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// Single-character insertions, deletions, replacements and swaps of neighbours that turn `a` into
/// `b` (optimal string alignment distance), counted in bytes.
std::size_t EditDistance(std::string_view a, std::string_view b);

/// The word of `known` with the smallest edit distance to `word`, the first one of equals. A word
/// that starts with `word` counts as one edit away. Empty when `known` is empty.
std::string Nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace schedlens
