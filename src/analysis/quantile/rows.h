#ifndef SCHEDLENS_ANALYSIS_QUANTILE_ROWS_H_
#define SCHEDLENS_ANALYSIS_QUANTILE_ROWS_H_

#include <vector>

#include "analysis/breakdown/time_breakdown.h"
#include "contract/diagnosis.h"
#include "schedlens/semantics.h"

namespace schedlens {

/// The quantiles a diagnosis shows next to the sums: e2e by result, the algorithm, binding, and the
/// Bind extension point, each with what the server would show on the window's exact increases, the
/// proven interval and the estimate. Histograms without buckets have no rows.
std::vector<QuantileRow> QuantileRows(const Histograms& histograms, const WindowIncreases& cells,
                                      const Semantics& semantics);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_QUANTILE_ROWS_H_
