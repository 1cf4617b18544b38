#include "scheduler/base/release.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <string>

#include "schedlens/error.h"

namespace schedlens::sim {

Release Release::Parse(std::string_view text) {
  static const RE2 kRelease(R"(v?1\.(\d{1,4})(?:\.(\d{1,4}))?)");
  Release out;
  std::string patch;
  const bool ok =
      RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kRelease, &out.minor, &patch);
  if (!ok || out.minor < kOldest || out.minor > kNewest) {
    throw Error(ErrorKind::kUsage,
                fmt::format("Kubernetes version `{}` cannot be simulated; use 1.{} to 1.{}, with "
                            "or without a patch (1.26, 1.34.1)",
                            text, kOldest, kNewest));
  }
  if (!patch.empty()) out.patch = std::stoi(patch);
  return out;
}

std::string Release::ToString() const {
  return patch == Release().patch ? fmt::format("1.{}", minor)
                                  : fmt::format("1.{}.{}", minor, patch);
}

}  // namespace schedlens::sim
