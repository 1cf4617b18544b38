#include "model/json_depth.h"

namespace schedlens {

std::string_view ShallowJson(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; (at = text.find_first_of("[]{}\"", at)) != std::string_view::npos;
       ++at) {
    const char c = text[at];
    if (c == ']' || c == '}') {
      --depth;
    } else if (c != '"') {
      if (++depth > kDeepestJson) return {};
    } else {
      at = text.find_first_of("\"\\", at + 1);
      while (at != std::string_view::npos && text[at] == '\\')
        at = text.find_first_of("\"\\", at + 2);
      if (at == std::string_view::npos) break;
    }
  }
  return text;
}

}  // namespace schedlens
