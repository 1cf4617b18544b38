#pragma once

// Why one quantile reads above another that should contain it (algorithm p99 above e2e p99).
//
// Over the same attempts, in the same layout, with e_i >= a_i for each, the counts keep the order
// at every bound, and so does every interpolated quantile (H6). An inversion is therefore evidence
// that a premise is false. The cases are walked in a fixed order, and the first one that the data
// proves ends the walk.

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "contract/commands.h"
#include "diagnose/explain/quantile.h"

namespace schedlens {

struct CompareRequest {
  QuantileRequest part;   ///< A: what should be the shorter one, and reads above
  QuantileRequest whole;  ///< B
};

/// Throws what ExplainQuantile throws. When the clocks of both families are known and were given
/// the other way round, they are swapped: `part` is always the one contained in the other.
Comparison Compare(Source& source, const CompareRequest& request);

}  // namespace schedlens
