#ifndef SCHEDLENS_SOURCE_BY_LABEL_SUMMED_COUNTERS_H_
#define SCHEDLENS_SOURCE_BY_LABEL_SUMMED_COUNTERS_H_

// Counters that a server summed over processes. When one of several processes restarts, the sum
// falls although most of it goes on: taken for a reset, all of it would be counted again.

#include <vector>

#include "contract/series.h"

namespace schedlens {

/// `times` are the column edges of all series, ascending, and `processes` how many processes each
/// edge's sums cover (same length). Where that number changed since the edge before, or a counter
/// of several processes fell, no counter keeps its increase: later samples move down (or up) so
/// that it is zero. Returns the columns that met, in order. A single process is left as it is: its
/// resets are what they seem.
std::vector<TimeRange> DropBrokenColumns(const std::vector<TimeMs>& times,
                                         const std::vector<double>& processes,
                                         std::vector<Series>& counters);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_BY_LABEL_SUMMED_COUNTERS_H_
