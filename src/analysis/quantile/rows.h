#ifndef SCHEDLENS_ANALYSIS_QUANTILE_ROWS_H_
#define SCHEDLENS_ANALYSIS_QUANTILE_ROWS_H_

#include <vector>

#include "analysis/breakdown/time_breakdown.h"
#include "analysis/collect/facts.h"
#include "contract/diagnosis.h"
#include "contract/source.h"
#include "schedlens/semantics.h"

namespace schedlens {

/// The quantiles a diagnosis shows beside the sums: e2e by result, the algorithm, binding, and the
/// Bind extension point, each with what the server would show on the window's exact increases, the
/// proven interval and the estimate. Histograms that are not there have no rows.
std::vector<QuantileRow> QuantileRows(Source& source, const Facts& facts,
                                      const Histograms& histograms, const TimeRange& window,
                                      const Semantics& semantics);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_QUANTILE_ROWS_H_
