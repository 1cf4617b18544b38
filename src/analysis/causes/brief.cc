#include "analysis/causes/brief.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/collect/columns.h"
#include "model/seconds.h"

namespace schedlens {
namespace {

/// Nine tenths of a steady minute's attempts are in nine tenths of it.
constexpr TimeMs kLeastTime = 54'000;
constexpr std::size_t kLeastScrapes = 3;
constexpr double kLeastSlow = 5;
constexpr double kMost = 0.9;
constexpr std::size_t kMostColumns = 240;

struct Columns {
  std::vector<TimeMs> edges;
  std::vector<double> above;  ///< attempts over the bound
  std::vector<double> all;
};

/// Scheduled attempts over a bucket bound; those of children without that bound are left out.
Columns CountAbove(const Facts& facts, const WindowIncreases& cells, double bound) {
  Columns columns;
  columns.edges = ColumnEdges(facts, cells.attempt, cells.window, kMostColumns);
  const std::size_t n = columns.edges.empty() ? 0 : columns.edges.size() - 1;
  columns.above.resize(n, 0);
  columns.all.resize(n, 0);
  for (const ScrapeIncreases& child : cells.attempt) {
    const auto at = std::find(child.bounds.begin(), child.bounds.end(), bound);
    if (n == 0 || !kube::IsScheduled(child.labels) || at == child.bounds.end()) continue;
    const auto first = static_cast<std::size_t>(at - child.bounds.begin()) + 1;
    for (std::size_t i = 0; i < child.cells(); ++i) {
      const std::size_t column = ColumnOf(columns.edges, child.edges[i + 1]);
      const auto row = child.Buckets(i);
      for (std::size_t b = 0; b < row.size(); ++b) {
        columns.all[column] += row[b];
        if (b >= first) columns.above[column] += row[b];
      }
    }
  }
  return columns;
}

/// First and last column, exclusive, of the shortest run with `kMost` of the excess.
std::pair<std::size_t, std::size_t> ShortestRun(const Columns& columns, double usual) {
  std::vector<double> excess(columns.all.size());
  for (std::size_t i = 0; i < excess.size(); ++i) {
    excess[i] = std::max(0.0, columns.above[i] - usual * columns.all[i]);
  }
  const double wanted = kMost * std::accumulate(excess.begin(), excess.end(), 0.0);
  std::pair<std::size_t, std::size_t> best{0, excess.size()};
  double inside = 0;
  for (std::size_t first = 0, last = 0; first < excess.size(); inside -= excess[first++]) {
    while (last < excess.size() && inside < wanted) inside += excess[last++];
    if (inside < wanted) break;
    if (columns.edges[last] - columns.edges[first] <
        columns.edges[best.second] - columns.edges[best.first]) {
      best = {first, last};
    }
  }
  return best;
}

}  // namespace

std::optional<BriefSlowness> FindBriefSlowness(const Facts& facts, const Measurement& now,
                                               const std::optional<Measurement>& baseline) {
  const auto scheduled = ToString(kube::AttemptResult::kScheduled);
  const auto tail = now.Tail(scheduled);
  const auto before = baseline ? baseline->Tail(scheduled) : std::nullopt;
  if (!tail || !before || std::isinf(before->p99_high) || PlainlySlow(now)) return std::nullopt;
  const Columns columns = CountAbove(facts, now.cells, before->p99_high);
  const double above = std::accumulate(columns.above.begin(), columns.above.end(), 0.0);
  if (above <= 0) return std::nullopt;
  const double usual =
      1 - before->buckets.cumulative[before->buckets.BucketOf(0.99)] / before->buckets.count();
  const auto [first, last] = ShortestRun(columns, usual);
  const TimeRange when{columns.edges[first], columns.edges[last]};
  const bool lasts = when.end - when.start >= kLeastTime && last - first >= kLeastScrapes;
  if (lasts && above >= kLeastSlow) return std::nullopt;
  return BriefSlowness{when, before->p99_high, above};
}

}  // namespace schedlens
