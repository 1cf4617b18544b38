#include "analysis/collect/relabelled_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "contract/source.h"
#include "kube/metrics.h"
#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr std::size_t kShown = 6;

std::string Listed(const std::set<std::string>& all) {
  std::vector<std::string> names(all.begin(), all.end());
  std::replace(names.begin(), names.end(), std::string(), std::string("(none)"));
  const auto end = names.begin() + static_cast<long>(std::min(names.size(), kShown));
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                     names.size() > kShown ? ", ..." : "");
}

/// Where the names that match the pattern under the selector are; empty without any.
std::optional<RelabelledMetrics> Look(Source& source, const std::string& selector,
                                      const TimeRange& range) {
  RelabelledMetrics found;
  const std::string statement = fmt::format(
      "count by (__name__, job) (last_over_time({{__name__=~\".*{}\", $selector}}[$window]))",
      kube::kOwnCounts);
  found.promql =
      Substitute(statement, selector, FormatDuration(std::max<TimeMs>(range.end - range.start, 1)));
  const Answer answer =
      source.Ask({.promql = found.promql, .start = range.end, .end = range.end, .step_ms = 0});
  std::set<std::string> jobs, names;
  for (const Series& series : answer.series) {
    const std::string_view name = series.labels.Get(kMetricName);
    if (name.starts_with(kube::kOwnPrefix)) {
      jobs.emplace(series.labels.Get("job"));
    } else if (!name.empty()) {
      names.emplace(name);
    }
  }
  if (!jobs.empty()) {
    found.text = Message("elsewhere.labels", {{"jobs", Listed(jobs)}});
    found.fix = Message("elsewhere.labels.fix", {{"job", *jobs.begin()}});
    return found;
  }
  if (names.empty()) return std::nullopt;
  found.text = Message("elsewhere.names", {{"names", Listed(names)}});
  found.fix = Message("elsewhere.names.fix");
  return found;
}

}  // namespace

std::optional<RelabelledMetrics> FindRelabelledMetrics(Source& source, const std::string& selector,
                                                       const TimeRange& range) {
  try {
    auto found = selector.empty() ? std::nullopt : Look(source, selector, range);
    return found ? found : Look(source, "", range);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kAuth || error.kind() == ErrorKind::kInterrupted) throw;
    RelabelledMetrics failed;
    failed.failure = Message("elsewhere.unknown", {{"error", error.what()}});
    return failed;
  }
}

}  // namespace schedlens
