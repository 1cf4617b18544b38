#include "analysis/neighbours/path_evidence.h"

namespace schedlens {

Between PathEvidence::Growth(const Between& part, const std::optional<Between>& part_before) const {
  if (!before || !(before->binds > 0)) return part;
  Between scaled = part_before.value_or(Between::Exactly(0));
  const double scale = now.binds / before->binds;
  for (double* x : {&scaled.low, &scaled.value, &scaled.high}) *x *= scale;
  return part.Less(scaled);
}

Between PathEvidence::RequestGrowth() const {
  return Growth(now.request, before ? std::optional(before->request) : std::nullopt);
}

}  // namespace schedlens
