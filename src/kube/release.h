#ifndef SCHEDLENS_KUBE_RELEASE_H_
#define SCHEDLENS_KUBE_RELEASE_H_

// Kubernetes releases, as the minor number of 1.x.

#include <optional>
#include <string_view>

namespace schedlens::kube {

constexpr int kOldestRelease = 18;  ///< what is older is like it
constexpr int kNewestRelease = 36;  ///< the newest whose metrics are in the table
constexpr int kNoEnd = 99;          ///< still there in the newest

/// The oldest that is told apart by the names of its metrics.
constexpr int kOldestNamed = 16;

/// `1.24`, `v1.24.3`, `1.23-1.25` (its newest) to the minor number; nothing for anything else.
std::optional<int> ParseRelease(std::string_view text);

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_RELEASE_H_
