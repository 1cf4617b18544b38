#ifndef SCHEDLENS_CONTRACT_SHARE_H_
#define SCHEDLENS_CONTRACT_SHARE_H_

// What a finding's share is a share of.

#include "contract/diagnosis.h"

namespace schedlens {

/// Whether it is a share of what grew against the baseline; any other is one of all e2e time.
inline bool IsOfTheGrowth(const Measured& share) { return share.basis.kind == BasisKind::kGrowth; }

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_SHARE_H_
