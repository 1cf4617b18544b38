#pragma once

#include "diagnose/pipeline/gather.h"

namespace schedlens {

/// The pipeline: collect, add up, bound, compare, find causes. Values in, values out; asks nothing
/// but PromQL. Missing metrics, repairs and gaps are in the result; throws only what the source
/// throws, and Error(kUsage) for an alert expression that does not parse.
Investigation Investigate(Source& source, const QuerySet& queries, const DiagnoseRequest& request);
Diagnosis Diagnose(Source& source, const QuerySet& queries, const DiagnoseRequest& request);

/// The second half of an investigation: the alert's value, shares, quantiles, verdict. `source` is
/// the one that was gathered from.
Diagnosis Conclude(Source& source, const Investigation& gathered);

}  // namespace schedlens
