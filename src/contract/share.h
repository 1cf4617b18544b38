#ifndef SCHEDLENS_CONTRACT_SHARE_H_
#define SCHEDLENS_CONTRACT_SHARE_H_

// What a finding's share is a share of.

#include <string_view>

#include "contract/diagnosis.h"

namespace schedlens {

/// The basis of a share of what grew against the baseline. Any other is a share of all e2e time.
inline constexpr std::string_view kOfTheGrowth = "growth";

inline bool IsOfTheGrowth(const Measured& share) { return share.basis == kOfTheGrowth; }

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_SHARE_H_
