#pragma once

#include <optional>
#include <string>

#include "base/source.h"

namespace schedlens {

/// The scrape nearest to a range that has none.
struct NearestScrape {
  TimeMs at = 0;  ///< the last one before the range, or the first one after it
  bool before = true;
  std::string promql;  ///< the question that showed it
};

/// When `selector`, an instant selector, had samples last before the range: within a day, else
/// within fifteen; else when it had the first ones after it, within a day. On a source that knows
/// its extent these days are the data's last before the range's start, and first after its end.
/// Nothing where there are none, or where it has samples until the range's start. Throws what the
/// source throws.
std::optional<NearestScrape> FindNearestScrape(Source& source, const std::string& selector,
                                               const TimeRange& range);

}  // namespace schedlens
