#pragma once

// What changed between two texts: the shortest script (Myers, "An O(ND) difference algorithm and
// its variations", 1986); and changes by position.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// Pieces [a_begin, a_end) of the one are pieces [b_begin, b_end) of the other; either may be
/// empty.
struct Hunk {
  std::size_t a_begin = 0, a_end = 0;
  std::size_t b_begin = 0, b_end = 0;
};

/// What differs, in order, with at least one equal piece between two hunks. Empty for equal lists.
std::vector<Hunk> Differences(const std::vector<std::string_view>& a,
                              const std::vector<std::string_view>& b);

/// A unified diff with three lines of context, `name` on both of its head lines; empty for equal
/// texts. A last line without an end is marked as diff(1) does.
std::string UnifiedDiff(const std::string& name, std::string_view before, std::string_view after);

/// Bytes [begin, end) of a text become `text`.
struct TextEdit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// The text after these changes, which do not overlap; those at one place in the order given.
std::string Apply(std::string_view text, std::vector<TextEdit> edits);

}  // namespace schedlens
