#pragma once

// A common time axis for several schedulers: the scrapes of the busiest one, merged.

#include <vector>

#include "diagnose/collect/histogram_store.h"

namespace schedlens {

/// Edges of at most `most` columns over `range`, taken from the scrapes of the target with the most
/// attempts. Fewer than two edges when there is nothing to show.
std::vector<TimeMs> ColumnEdges(const Facts& facts, const std::vector<ScrapeIncreases>& attempt,
                                const TimeRange& range, std::size_t most);

/// The column that a cell ending at `end` belongs to; the first or last one when it lies outside.
std::size_t ColumnOf(const std::vector<TimeMs>& edges, TimeMs end);

}  // namespace schedlens
