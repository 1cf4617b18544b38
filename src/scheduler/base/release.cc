#include "scheduler/base/release.h"

#include <fmt/format.h>

#include <charconv>

#include "schedlens/error.h"

namespace schedlens::sim {
namespace {

// Reads digits off the front; false if there are none or more than four.
bool TakeNumber(std::string_view* text, int* out) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *out);
  const auto taken = static_cast<std::size_t>(end - text->data());
  if (error != std::errc() || taken == 0 || taken > 4 || *out < 0) return false;
  text->remove_prefix(taken);
  return true;
}

}  // namespace

Release Release::Parse(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  Release out;
  bool ok = rest.starts_with("1.");
  if (ok) rest.remove_prefix(2);
  ok = ok && TakeNumber(&rest, &out.minor);
  if (ok && !rest.empty()) {
    ok = rest.front() == '.';
    rest.remove_prefix(1);
    ok = ok && TakeNumber(&rest, &out.patch) && rest.empty();
  }
  if (!ok || out.minor < kOldest || out.minor > kNewest) {
    throw Error(ErrorKind::kUsage,
                fmt::format("Kubernetes version `{}` cannot be simulated; use 1.{} to 1.{}, with "
                            "or without a patch (1.26, 1.34.1)",
                            text, kOldest, kNewest));
  }
  return out;
}

std::string Release::ToString() const {
  return patch == Release().patch ? fmt::format("1.{}", minor)
                                  : fmt::format("1.{}.{}", minor, patch);
}

}  // namespace schedlens::sim
