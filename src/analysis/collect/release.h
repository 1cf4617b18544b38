#ifndef SCHEDLENS_ANALYSIS_COLLECT_RELEASE_H_
#define SCHEDLENS_ANALYSIS_COLLECT_RELEASE_H_

#include <string>

#include "analysis/collect/facts.h"
#include "kube/metrics.h"

namespace schedlens {

/// Which Kubernetes releases a scheduler's metrics fit. The minor versions of 1.x, both inclusive.
struct ReleaseRange {
  int oldest = kube::kOldestRelease;
  int newest = kube::kNoEnd;  ///< kNoEnd: no upper end is known
  std::string exact;          ///< git version where kubernetes_build_info tells it
  bool known() const { return oldest > kube::kOldestRelease || newest < kube::kNoEnd; }
};

/// Narrowed by each metric that is present; absence says little, since relabelling drops metrics.
/// kubernetes_build_info, where scraped, decides.
ReleaseRange DetectRelease(const Facts& facts);

/// "1.20", "1.24-1.25", "1.34 or later", or "" when nothing is known.
std::string ToString(const ReleaseRange& release);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_COLLECT_RELEASE_H_
