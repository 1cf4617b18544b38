#ifndef SCHEDLENS_MESSAGES_EMBEDDED_H_
#define SCHEDLENS_MESSAGES_EMBEDDED_H_

// The language files of this folder as the build put them into the binary.

#include <string_view>
#include <vector>

namespace schedlens {

struct EmbeddedLanguage {
  std::string_view name;  ///< file name without `.txt`
  std::string_view text;
};

const std::vector<EmbeddedLanguage>& EmbeddedLanguages();

}  // namespace schedlens

#endif  // SCHEDLENS_MESSAGES_EMBEDDED_H_
