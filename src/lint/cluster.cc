#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/source.h"
#include "base/text.h"
#include "diagnose/collect/facts.h"
#include "diagnose/collect/missing.h"
#include "kube/metrics.h"
#include "lint/lint.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr TimeMs kLookBack = 30 * 60 * 1000;

std::optional<std::int64_t> MedianDistance(const std::vector<Target>& targets) {
  std::vector<std::int64_t> distances;
  for (const Target& target : targets) {
    for (std::size_t i = 1; i < target.scrapes.size(); ++i) {
      distances.push_back(target.scrapes[i] - target.scrapes[i - 1]);
    }
  }
  if (distances.empty()) return std::nullopt;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

/// The families that not every release shows, as far as the source has them, and the histograms
/// that it keeps under their bare names now: those are asked as they stand, since not every
/// function over time takes native histograms.
void LookAtFamilies(Source& source, const std::string& selector, const TimeRange& range,
                    ClusterSeen* seen) {
  std::string names;
  std::string histograms;
  const auto add = [](std::string* list, std::string_view name, const char* suffix) {
    *list += fmt::format("{}{}{}", list->empty() ? "" : "|", name, suffix);
  };
  for (const kube::MetricRow& row : kube::MetricTable()) {
    const bool histogram = row.kind == kube::MetricKind::kHistogram;
    if (!AlwaysShown(row)) add(&names, row.name, histogram ? "_bucket" : "");
    if (histogram) add(&histograms, row.name, "");
  }
  const std::string window = FormatDuration(range.end - range.start);
  const auto ask = [&](const std::string& statement, const auto& take) {
    const std::string promql = Substitute(statement, selector, window);
    for (const Series& series : source.Ask({promql, range.end, range.end, 0}).series) {
      const std::string name(series.labels.Get(kMetricName));
      if (const kube::MetricRow* row = kube::FindMetric(name)) take(*row, name);
    }
  };
  ask("count by (__name__) (last_over_time({__name__=~\"" + names + "\", $selector}[$window]))",
      [&](const kube::MetricRow& row, const std::string&) { seen->exposed.emplace(row.name); });
  ask("count by (__name__) ({__name__=~\"" + histograms + "\", $selector})",
      [&](const kube::MetricRow& row, const std::string& name) {
        if (row.name != name) return;
        seen->exposed.emplace(name);
        seen->native.insert(name);
      });
}

}  // namespace

ClusterSeen LookAtCluster(Source& source, const QuerySet& queries, const std::string& selector,
                          std::optional<TimeMs> at, TimeMs now) {
  const auto extent = source.Describe().extent;
  const TimeMs end = at.value_or(now);
  const TimeRange range =
      extent && !at ? TimeRange{extent->start - 1, extent->end} : TimeRange{end - kLookBack, end};
  const Facts facts = Collect(source, queries, selector, range);
  if (facts.targets.empty()) {
    throw Error(ErrorKind::kInsufficientData,
                "no kube-scheduler metrics in this source to read release and scrape interval from "
                "(schedlens doctor looks closer)");
  }
  ClusterSeen seen;
  const ReleaseRange release = DetectRelease(facts);
  if (release.known()) {
    // Of several that fit the newest: what it hides and the cluster shows all the same is exposed.
    seen.release = release.newest == kube::kNoEnd ? release.oldest : release.newest;
    seen.release_text = ToString(release);
  }
  seen.scrape_ms = MedianDistance(facts.targets);
  std::set<std::string> clusters;
  for (const Target& target : facts.targets) clusters.emplace(target.id.Get("cluster"));
  seen.several_clusters = clusters.size() > 1;
  LookAtFamilies(source, facts.selector, range, &seen);
  return seen;
}

}  // namespace schedlens
