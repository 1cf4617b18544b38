#pragma once

// Where the text of a YAML scalar stands in its file, and how it is changed there: only the bytes
// that differ, in the scalar's own style (plain, quoted, literal or folded).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace schedlens {

class ScalarPlace {
 public:
  /// The scalar at byte `begin` of `file` (its tag, anchor, quote or first letter), which YAML
  /// reads as `value`. Nothing where the bytes there are not that value, or of a file of 4 GiB.
  static std::optional<ScalarPlace> Find(std::string_view file, std::size_t begin,
                                         std::string_view value);

  /// The byte of the file at which this byte of the value stands, or the next one that is no blank;
  /// nothing behind the last of those.
  std::optional<std::size_t> ByteOf(std::size_t offset) const;
  /// The changes that make the value this one, blanks aside: line breaks, indentation and folding
  /// of what stays are kept.
  std::vector<TextEdit> EditsTo(std::string_view value) const;
  /// The same as one change: the whole scalar in double quotes on one line. For what its own style
  /// cannot hold.
  TextEdit Quoted(std::string_view value) const;

 private:
  /// A letter of the value: its byte there, and its bytes in the file. Small, there may be
  /// millions.
  struct Letter {
    std::uint32_t at = 0, begin = 0, end = 0;
  };
  std::string Encoded(std::string_view text) const;

  char style_ = 0;  ///< `"`, `'`, `|`, `>`, 0 for plain
  std::size_t begin_ = 0, end_ = 0;
  std::string value_;
  std::vector<Letter> letters_;  ///< one for each byte of the value that is no blank, ascending
};

}  // namespace schedlens
