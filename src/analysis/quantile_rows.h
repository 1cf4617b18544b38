#ifndef SCHEDLENS_ANALYSIS_QUANTILE_ROWS_H_
#define SCHEDLENS_ANALYSIS_QUANTILE_ROWS_H_

#include <vector>

#include "analysis/account.h"
#include "analysis/facts.h"
#include "schedlens/diagnosis.h"
#include "schedlens/semantics.h"
#include "schedlens/source.h"

namespace schedlens {

/// The quantiles a diagnosis shows beside the sums: e2e by result, the algorithm, binding, and the
/// Bind extension point, each with what the server would show on the window's exact increases, the
/// proven interval and the estimate. Histograms that are not there have no rows.
std::vector<QuantileRow> QuantileRows(Source& source, const Facts& facts,
                                      const Histograms& histograms, const TimeRange& window,
                                      const Semantics& semantics);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_QUANTILE_ROWS_H_
