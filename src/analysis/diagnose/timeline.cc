#include "analysis/diagnose/timeline.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/collect/columns.h"
#include "kube/words.h"

namespace schedlens {
namespace {

constexpr std::size_t kMostColumns = 240;
constexpr double kUnknown = NAN;

/// The value of each matching gauge at the end of each column, added up over series.
std::vector<double> GaugeAt(const std::vector<Series>& gauges, std::string_view label,
                            std::string_view value, const std::vector<TimeMs>& times) {
  std::vector<double> out(times.size(), kUnknown);
  for (const Series& series : gauges) {
    if (!label.empty() && series.labels.Get(label) != value) continue;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto it = std::upper_bound(series.samples.begin(), series.samples.end(), times[i],
                                       [](TimeMs t, const Sample& sample) { return t < sample.t; });
      if (it == series.samples.begin() || std::isnan((it - 1)->v)) continue;
      out[i] = (std::isnan(out[i]) ? 0 : out[i]) + (it - 1)->v;
    }
  }
  return out;
}

}  // namespace

Timeline MakeTimeline(const Facts& facts, const HistogramFacts& attempt, const TimeRange& range) {
  Timeline timeline;
  const std::vector<ScrapeIncreases> cells = CellsOf(attempt, facts.targets, range);
  const std::vector<TimeMs> edges = ColumnEdges(facts, cells, range, kMostColumns);
  if (edges.size() < 2) return timeline;
  timeline.times.assign(edges.begin() + 1, edges.end());
  const std::size_t columns = timeline.times.size();
  std::map<double, std::size_t> bounds;
  for (const ScrapeIncreases& c : cells) {
    for (const double bound : c.bounds) bounds.emplace(bound, 0);
  }
  for (auto& [bound, index] : bounds) {
    index = timeline.bounds.size();
    timeline.bounds.push_back(bound);
  }
  if (!timeline.bounds.empty()) {
    timeline.e2e.assign(columns, std::vector<double>(timeline.bounds.size(), 0.0));
  }
  timeline.scheduled.assign(columns, 0.0);
  timeline.failed.assign(columns, 0.0);
  for (const ScrapeIncreases& c : cells) {
    const bool failed = !kube::IsScheduled(c.labels);
    for (std::size_t i = 0; i < c.cells(); ++i) {
      const std::size_t column = ColumnOf(edges, c.edges[i + 1]);
      const auto row = c.Buckets(i);
      for (std::size_t b = 0; b < row.size(); ++b) {
        timeline.e2e[column][bounds.at(c.bounds[b])] += row[b];
      }
      (failed ? timeline.failed : timeline.scheduled)[column] += c.Count(i);
    }
  }
  using kube::QueueName;
  const auto& pending = facts.Of("pending_pods");
  timeline.pending_active = GaugeAt(pending, "queue", ToString(QueueName::kActive), timeline.times);
  timeline.pending_backoff =
      GaugeAt(pending, "queue", ToString(QueueName::kBackoff), timeline.times);
  timeline.pending_unschedulable =
      GaugeAt(pending, "queue", ToString(QueueName::kUnschedulable), timeline.times);
  timeline.binding = GaugeAt(facts.Of("goroutines"), "", "", timeline.times);
  timeline.shown.assign(columns, kUnknown);
  timeline.low.assign(columns, kUnknown);
  timeline.high.assign(columns, kUnknown);
  return timeline;
}

}  // namespace schedlens
