#include "scheduler/base/release.h"

#include <re2/re2.h>

#include "base/text.h"

namespace schedlens::sim {

Release Release::Parse(std::string_view text) {
  static const RE2 kForm("v?1\\.(\\d{1,4})(?:\\.(\\d{1,4}))?");
  Release out;
  std::string patch;
  const bool ok = RE2::FullMatch(text, kForm, &out.minor, &patch);
  out.patch = WholeNumber<int>(patch).value_or(out.patch);
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
