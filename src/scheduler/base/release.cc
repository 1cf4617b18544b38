#include "scheduler/base/release.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace schedlens::sim {

Release Release::Parse(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  // `before` and up to four digits, off the front.
  const auto take = [&](std::string_view before, int* out) {
    if (!rest.starts_with(before)) return false;
    rest.remove_prefix(before.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0 || digits > 4) return false;
    std::from_chars(rest.data(), rest.data() + digits, *out);
    rest.remove_prefix(digits);
    return true;
  };
  Release out;
  const bool ok = take("1.", &out.minor) && (rest.empty() || take(".", &out.patch)) && rest.empty();
  if (!ok || out.minor < kOldest || out.minor > kNewest) {
    Raise(ErrorKind::kUsage,
          "Kubernetes version `{}` cannot be simulated; use 1.{} to 1.{}, with "
          "or without a patch (1.26, 1.34.1)",
          text, kOldest, kNewest);
  }
  return out;
}

std::string Release::ToString() const {
  return patch == Release().patch ? fmt::format("1.{}", minor)
                                  : fmt::format("1.{}.{}", minor, patch);
}

}  // namespace schedlens::sim
