#include "diagnose/collect/last_seen.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace schedlens {
namespace {

constexpr TimeMs kDay = TimeMs{24} * 60 * 60 * 1000;

/// The value, seconds, as a time; nothing without an answer.
std::optional<TimeMs> TimeFrom(Source& source, const std::string& promql, TimeMs at) {
  const Answer answer = source.Ask({.promql = promql, .start = at, .end = at, .step_ms = 0});
  if (answer.series.empty() || answer.series[0].samples.empty()) return std::nullopt;
  return TimeOfSeconds(answer.series[0].samples.back().v);
}

}  // namespace

std::optional<NearestScrape> FindNearestScrape(Source& source, const std::string& selector,
                                               const TimeRange& range) {
  const auto extent = source.Describe().extent;
  // A server is asked at the range's end: what is still scraped then is not missing.
  const TimeMs until = extent ? std::min(range.end, extent->end) : range.end;
  for (const char* back : {"1d", "15d"}) {
    NearestScrape found{0, true,
                        fmt::format("max(max_over_time(timestamp({})[{}:5m]))", selector, back)};
    const auto seen = TimeFrom(source, found.promql, until);
    if (seen && *seen >= range.start) return std::nullopt;
    if (!seen) continue;
    found.at = *seen;
    return found;
  }
  NearestScrape found{0, false, fmt::format("min(min_over_time(timestamp({})[1d:5m]))", selector)};
  const TimeMs from = extent ? std::max(range.end, extent->start) : range.end;
  const auto seen = TimeFrom(source, found.promql, from + kDay);
  if (!seen || *seen <= range.end) return std::nullopt;
  found.at = *seen;
  return found;
}

}  // namespace schedlens
