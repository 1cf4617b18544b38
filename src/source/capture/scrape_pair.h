#pragma once

// Two raw /metrics pages of one process as a source: no Prometheus at all.

#include <string>
#include <vector>

#include "base/exposition.h"
#include "base/series.h"

namespace schedlens {

/// The series of both pages, each with one sample a page where it stands. A series that is on the
/// second page only started between them: Prometheus's increase needs two samples, so a counter, a
/// bucket, a sum or a count gets the sample 0 at the first page's time. Throws Error(kFailed)
/// naming the series when the process restarted in between: `process_start_time_seconds` changed,
/// or a counter of a known type decreased or went away; and when the pages have no time order.
std::vector<Series> JoinScrapes(const Exposition& before, const Exposition& after);

}  // namespace schedlens
