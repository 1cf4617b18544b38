#include "kube/release.h"

#include <charconv>
#include <system_error>

namespace schedlens::kube {

std::optional<int> ParseRelease(std::string_view text) {
  if (const auto dash = text.rfind('-'); dash != std::string_view::npos) {
    text = text.substr(dash + 1);
  }
  if (!text.empty() && text.front() == 'v') text.remove_prefix(1);
  if (text.substr(0, 2) != "1.") return std::nullopt;
  text.remove_prefix(2);
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
  const bool whole = error == std::errc() && (end == text.data() + text.size() || *end == '.');
  return whole && minor >= 0 ? std::optional<int>(minor) : std::nullopt;
}

}  // namespace schedlens::kube
