#include "stats/scrape_increases.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/work_budget.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

/// One scrape of a child, or the zero it started from.
struct Row {
  TimeMs t;
  std::span<const double> cumulative;
  double sum;
};

/// `zero` is as long as a row, and outlives the rows.
std::vector<Row> RowsWithBirth(const HistogramSeries& series, std::span<const TimeMs> scrapes,
                               std::span<const double> zero) {
  std::vector<Row> rows;
  if (series.times.empty()) return rows;
  rows.reserve(series.times.size() + 1);
  const auto first = std::lower_bound(scrapes.begin(), scrapes.end(), series.times.front());
  if (first != scrapes.begin()) rows.push_back({*(first - 1), zero, 0.0});
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    rows.push_back({series.times[i], series.Row(i), series.sums[i]});
  }
  return rows;
}

bool FellAnywhere(const Row& from, const Row& to) {
  for (std::size_t b = 0; b < to.cumulative.size(); ++b) {
    if (to.cumulative[b] < from.cumulative[b]) return true;
  }
  return false;
}

/// Whether every bucket holds at least as many observations as before, but for rounding.
bool GrewEverywhere(const Row& from, const Row& to) {
  const double slack = to.cumulative.empty() ? 0 : 1e-12 * to.cumulative.back();
  double upto = 0;
  for (std::size_t b = 0; b < to.cumulative.size(); ++b) {
    const double increase = to.cumulative[b] - from.cumulative[b];
    if (increase < upto - slack) return false;
    upto = increase;
  }
  return true;
}

/// Per bound, the increase between two scrapes as a server's increase() adds it up: each bucket a
/// counter of its own, the last value less the first and what resets lost. No number is too large
/// for a server, so an infinite count stays one.
std::vector<double> RawIncreases(const std::vector<Row>& rows, TimeMs first, TimeMs last) {
  std::vector<double> increases(rows.front().cumulative.size(), 0.0);
  const Row* before = nullptr;
  for (const Row& row : rows) {
    if (row.t < first || row.t > last) continue;
    for (std::size_t b = 0; before != nullptr && b < increases.size(); ++b) {
      const double from = before->cumulative[b];
      if (row.cumulative[b] < from) increases[b] += from;
    }
    if (before == nullptr) {
      for (std::size_t b = 0; b < increases.size(); ++b) increases[b] = -row.cumulative[b];
    }
    before = &row;
  }
  for (std::size_t b = 0; b < increases.size(); ++b) increases[b] += before->cumulative[b];
  return increases;
}

bool RestartBetween(std::span<const TimeMs> restarts, TimeMs after, TimeMs until) {
  return std::any_of(restarts.begin(), restarts.end(),
                     [&](TimeMs t) { return t > after && t <= until; });
}

/// A counter that falls tells of a new process, and so does the total; where the starts of
/// processes are known and none lies between, one bucket alone that falls is a torn scrape.
bool ResetBetween(const Row& from, const Row& to, std::span<const TimeMs> restarts) {
  if (RestartBetween(restarts, from.t, to.t)) return true;
  if (to.cumulative.back() < from.cumulative.back()) return true;
  return restarts.empty() && FellAnywhere(from, to);
}

/// The rows that can be scrapes of one histogram, each after the one before it.
std::vector<Row> WholeRows(const std::vector<Row>& rows, std::span<const TimeMs> restarts) {
  std::vector<Row> whole;
  for (const Row& row : rows) {
    if (!WholeRow(row.cumulative)) continue;
    if (whole.empty() || ResetBetween(whole.back(), row, restarts) ||
        GrewEverywhere(whole.back(), row)) {
      whole.push_back(row);
    }
  }
  return whole;
}

/// `raised` holds the new rows' counts. What cannot be a count is passed over.
std::vector<Row> RaisedToRunningMaximum(std::vector<Row> rows, std::vector<double>* raised) {
  const std::size_t width = rows.empty() ? 0 : rows.front().cumulative.size();
  raised->resize(rows.size() * width);
  double* counts = raised->data();
  for (Row& row : rows) {
    double most = 0;
    for (std::size_t b = 0; b < width; ++b) {
      if (row.cumulative[b] < kMostCounted) most = std::max(most, row.cumulative[b]);
      counts[b] = most;
    }
    row.cumulative = {counts, width};
    counts += width;
  }
  return rows;
}

/// Index of the last row at or before `t`; the first row where all are later.
std::size_t LastAtOrBefore(const std::vector<Row>& rows, TimeMs t) {
  const auto it = std::upper_bound(rows.begin(), rows.end(), t,
                                   [](TimeMs time, const Row& row) { return time < row.t; });
  return it == rows.begin() ? 0 : static_cast<std::size_t>(it - rows.begin()) - 1;
}

ScrapeIncreases CellsOfRows(const HistogramSeries& series, const std::vector<Row>& rows,
                            const TimeRange& window, std::span<const TimeMs> restarts) {
  ScrapeIncreases out;
  out.labels = series.labels;
  out.family = series.family;
  out.target = series.target;
  out.bounds = series.bounds;
  if (rows.empty() || rows.front().t > window.end) return out;
  const std::size_t first = LastAtOrBefore(rows, window.start);
  const std::size_t last = LastAtOrBefore(rows, window.end);
  for (std::size_t i = first; i < last; ++i) {
    const Row& from = rows[i];
    const Row& to = rows[i + 1];
    const bool reset = ResetBetween(from, to, restarts);
    if (out.edges.empty()) {
      out.edges.push_back(from.t);
      out.count_at.push_back(from.cumulative.back());
      out.sum_at.push_back(from.sum);
    }
    out.edges.push_back(to.t);
    out.count_at.push_back(to.cumulative.back());
    out.sum_at.push_back(to.sum);
    const double sum = reset ? to.sum : to.sum - from.sum;
    double below = 0;
    for (std::size_t b = 0; b < out.bounds.size(); ++b) {
      const double upto = reset ? to.cumulative[b] : to.cumulative[b] - from.cumulative[b];
      const double monotone = std::max(upto, below);
      out.buckets.push_back(monotone - below);
      below = monotone;
    }
    out.sums.push_back(std::abs(sum) <= kMostCounted ? sum : kNaN);
    out.reset.push_back(reset);
  }
  return out;
}

}  // namespace

double ScrapeIncreases::Count(std::size_t i) const {
  const auto row = Buckets(i);
  return std::accumulate(row.begin(), row.end(), 0.0);
}

ScrapeIncreases IncreasesBetweenScrapes(const HistogramSeries& series,
                                        std::span<const TimeMs> scrapes, const TimeRange& window,
                                        std::span<const TimeMs> restarts) {
  CheckBudget();
  const std::vector<double> zero(series.bounds.size(), 0.0);
  const std::vector<Row> rows = RowsWithBirth(series, scrapes, zero);
  const std::vector<Row> whole = WholeRows(rows, restarts);
  const auto inside = [&](const std::vector<Row>& all) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Row& row) {
      return row.t >= window.start && row.t <= window.end;
    }));
  };
  ScrapeIncreases out = CellsOfRows(series, whole, window, restarts);
  out.left_out = inside(rows) - inside(whole);
  if (out.cells() > 0 || out.left_out == 0) return out;
  std::vector<double> raised;
  out = CellsOfRows(series, RaisedToRunningMaximum(rows, &raised), window, restarts);
  out.left_out = inside(rows);
  out.torn = out.cells() > 0;
  if (out.torn) out.raw_upto = RawIncreases(rows, out.edges.front(), out.edges.back());
  return out;
}

ScrapeIncreases CellsInside(const ScrapeIncreases& cells, const TimeRange& range) {
  ScrapeIncreases out;
  out.labels = cells.labels;
  out.family = cells.family;
  out.target = cells.target;
  out.bounds = cells.bounds;
  out.torn = cells.torn;
  for (std::size_t i = 0; i < cells.cells(); ++i) {
    if (cells.edges[i] < range.start || cells.edges[i + 1] > range.end) continue;
    if (out.edges.empty()) out.edges.push_back(cells.edges[i]);
    out.edges.push_back(cells.edges[i + 1]);
    const auto row = cells.Buckets(i);
    out.buckets.insert(out.buckets.end(), row.begin(), row.end());
    out.sums.push_back(cells.sums[i]);
    out.reset.push_back(cells.reset[i]);
  }
  return out;
}

std::vector<double> TotalBuckets(const ScrapeIncreases& cells) {
  std::vector<double> total(cells.bounds.size(), 0.0);
  for (std::size_t i = 0; i < cells.cells(); ++i) {
    const auto row = cells.Buckets(i);
    for (std::size_t b = 0; b < row.size(); ++b) total[b] += row[b];
  }
  return total;
}

double TotalCount(const ScrapeIncreases& cells) {
  return std::accumulate(cells.buckets.begin(), cells.buckets.end(), 0.0);
}

double TotalSum(const ScrapeIncreases& cells) {
  return std::accumulate(cells.sums.begin(), cells.sums.end(), 0.0);
}

}  // namespace schedlens
