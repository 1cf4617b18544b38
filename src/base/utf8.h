#pragma once

// UTF-8, read and written one character at a time.

#include <cstddef>
#include <string>
#include <string_view>

namespace schedlens {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Character {
  char32_t code = kReplacement;
  std::size_t bytes = 1;  ///< how far to go on; of an ill-formed part, its maximal prefix
  bool well_formed = false;
};

/// The character at the start of `text`, which is not empty. Overlong forms, surrogates, cut
/// sequences and stray bytes read as U+FFFD (Unicode 3.9, "maximal subpart").
Character NextCharacter(std::string_view text);

/// Whether the bytes are UTF-8 without NUL.
bool IsText(std::string_view bytes);

/// `code` is at most 0x1FFFFF; surrogates are not refused.
void AppendUtf8(std::string& out, char32_t code);

}  // namespace schedlens
