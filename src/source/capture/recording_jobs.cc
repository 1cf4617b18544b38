// The jobs a recording is of: schedulers, and the API servers beside them.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kube/metrics.h"
#include "model/text.h"
#include "source/capture/recording.h"

namespace schedlens {
namespace {

/// `job=~"a|b"` of whatever has series that match within the range.
std::string JobsWith(Source& source, const std::string& matchers, const TimeRange& range) {
  const std::string length = FormatDuration(std::max<TimeMs>(range.end - range.start, 1));
  const Answer answer = source.Ask(
      {.promql = fmt::format("count by (job) (count_over_time({{{}}}[{}]))", matchers, length),
       .start = range.end,
       .end = range.end,
       .step_ms = 0});
  std::vector<Labels> found;
  for (const Series& series : answer.series) found.push_back(series.labels);
  return kube::JobMatcher(found);
}

}  // namespace

std::string FindSchedulers(Source& source, const TimeRange& range) {
  return JobsWith(source, fmt::format("__name__=~\"{}{}\"", kube::kOwnPrefix, kube::kOwnCounts),
                  range);
}

std::string FindApiServers(Source& source, const std::string& within, const TimeRange& range) {
  std::string matchers =
      fmt::format("__name__=\"{}\",verb=\"POST\",resource=\"pods\",subresource=\"binding\"",
                  CountOf(kube::Neighbour::kApiserverRequestDuration));
  if (!within.empty()) matchers += "," + within;
  return JobsWith(source, matchers, range);
}

}  // namespace schedlens
