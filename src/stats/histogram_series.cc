#include "stats/histogram_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "model/text.h"

namespace schedlens {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// The samples of one label set while it is being put together: time -> value, per bound.
struct Parts {
  std::map<double, std::map<TimeMs, double>> buckets;
  std::map<double, std::string> texts;  // of the bounds, as first seen
  std::map<TimeMs, double> sums;
  std::map<TimeMs, double> counts;
};

double ValueAt(const std::map<TimeMs, double>& values, TimeMs t) {
  const auto it = values.find(t);
  return it == values.end() ? kUnknown : it->second;
}

HistogramSeries Assemble(const Labels& labels, const Parts& parts, std::string_view family,
                         std::vector<std::string>* warnings) {
  HistogramSeries out;
  out.labels = labels;
  std::map<TimeMs, std::size_t> seen;
  for (const auto& [bound, values] : parts.buckets) {
    out.bounds.push_back(bound);
    for (const auto& [t, v] : values) ++seen[t];
  }
  std::size_t torn = 0;
  for (const auto& [t, n] : seen) {
    if (n == out.bounds.size()) {
      out.times.push_back(t);
    } else {
      ++torn;
    }
  }
  out.cumulative.reserve(out.times.size() * out.bounds.size());
  for (const TimeMs t : out.times) {
    for (const auto& [bound, values] : parts.buckets) out.cumulative.push_back(values.at(t));
    out.sums.push_back(ValueAt(parts.sums, t));
    out.counts.push_back(ValueAt(parts.counts, t));
  }
  if (torn > 0 && warnings != nullptr) {
    warnings->push_back(fmt::format("{}{}: {} scrape{} without all buckets (or NaN) left out",
                                    family, labels.ToString(), torn, torn == 1 ? "" : "s"));
  }
  return out;
}

/// One scrape of a child, or the zero it started from.
struct Row {
  TimeMs t;
  std::vector<double> cumulative;
  double sum;
};

std::vector<Row> RowsWithBirth(const HistogramSeries& series, std::span<const TimeMs> scrapes) {
  std::vector<Row> rows;
  if (series.times.empty()) return rows;
  const auto first = std::lower_bound(scrapes.begin(), scrapes.end(), series.times.front());
  if (first != scrapes.begin()) {
    rows.push_back({*(first - 1), std::vector<double>(series.bounds.size(), 0.0), 0.0});
  }
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    const auto row = series.Row(i);
    rows.push_back({series.times[i], {row.begin(), row.end()}, series.sums[i]});
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
/// counter of its own.
std::vector<double> RawIncreases(const std::vector<Row>& rows, TimeMs first, TimeMs last) {
  std::vector<double> increases(rows.front().cumulative.size(), 0.0);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i - 1].t < first || rows[i].t > last) continue;
    for (std::size_t b = 0; b < increases.size(); ++b) {
      const double from = rows[i - 1].cumulative[b];
      const double to = rows[i].cumulative[b];
      increases[b] += to < from ? to : to - from;
    }
  }
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

std::vector<Row> RaisedToRunningMaximum(std::vector<Row> rows) {
  for (Row& row : rows) {
    auto& cumulative = row.cumulative;
    std::partial_sum(cumulative.begin(), cumulative.end(), cumulative.begin(),
                     [](double a, double b) { return std::max(a, std::isfinite(b) ? b : a); });
  }
  return rows;
}

/// Index of the last row at or before `t`; the first row where all are later.
std::size_t LastAtOrBefore(const std::vector<Row>& rows, TimeMs t) {
  const auto it = std::upper_bound(rows.begin(), rows.end(), t,
                                   [](TimeMs time, const Row& row) { return time < row.t; });
  return it == rows.begin() ? 0 : static_cast<std::size_t>(it - rows.begin()) - 1;
}

HistogramCells CellsOfRows(const HistogramSeries& series, const std::vector<Row>& rows,
                           const TimeRange& window, std::span<const TimeMs> restarts) {
  HistogramCells out;
  out.labels = series.labels;
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
    double below = 0;
    for (std::size_t b = 0; b < out.bounds.size(); ++b) {
      const double upto = reset ? to.cumulative[b] : to.cumulative[b] - from.cumulative[b];
      const double monotone = std::max(upto, below);
      out.buckets.push_back(monotone - below);
      below = monotone;
    }
    out.sums.push_back(reset ? to.sum : to.sum - from.sum);
    out.reset.push_back(reset);
  }
  return out;
}

}  // namespace

bool WholeRow(std::span<const double> cumulative) {
  double upto = 0;
  for (const double count : cumulative) {
    if (!(count >= upto) || !std::isfinite(count)) return false;
    upto = count;
  }
  return true;
}

std::vector<HistogramSeries> GroupHistograms(std::span<const Series> series,
                                             std::string_view family,
                                             std::vector<std::string>* warnings) {
  std::map<Labels, Parts> groups;
  const std::string bucket = fmt::format("{}_bucket", family);
  const std::string sum = fmt::format("{}_sum", family);
  const std::string count = fmt::format("{}_count", family);
  for (const Series& s : series) {
    const std::string_view name = s.labels.Get(kMetricName);
    if (name == bucket) {
      const std::string_view le = s.labels.Get("le");
      const auto bound = ParseNumber(le);
      if (!bound || std::isnan(*bound)) {
        if (warnings != nullptr) {
          warnings->push_back(
              fmt::format("{}: le is missing or not a number; left out", s.labels.ToString()));
        }
        continue;
      }
      const Labels child = s.labels.Without({std::string(kMetricName), "le"});
      Parts& parts = groups[child];
      const auto [text, fresh] = parts.texts.emplace(*bound, le);
      if (!fresh && text->second != le && warnings != nullptr) {
        warnings->push_back(fmt::format("{}{}: le=\"{}\" and le=\"{}\" are one bound; added",
                                        family, child.ToString(), text->second, le));
      }
      auto& values = parts.buckets[*bound];
      for (const Sample& sample : s.samples) {
        if (!std::isnan(sample.v)) values[sample.t] += sample.v;
      }
    } else if (name == sum || name == count) {
      Parts& parts = groups[s.labels.Without(kMetricName)];
      auto& values = name == sum ? parts.sums : parts.counts;
      for (const Sample& sample : s.samples) {
        if (!std::isnan(sample.v)) values[sample.t] = sample.v;
      }
    }
  }
  std::vector<HistogramSeries> out;
  for (const auto& [labels, parts] : groups) {
    if (!parts.buckets.empty()) out.push_back(Assemble(labels, parts, family, warnings));
  }
  return out;
}

double HistogramCells::Count(std::size_t i) const {
  const auto row = Buckets(i);
  return std::accumulate(row.begin(), row.end(), 0.0);
}

HistogramCells IncreasesBetweenScrapes(const HistogramSeries& series,
                                       std::span<const TimeMs> scrapes, const TimeRange& window,
                                       std::span<const TimeMs> restarts) {
  const std::vector<Row> rows = RowsWithBirth(series, scrapes);
  const std::vector<Row> whole = WholeRows(rows, restarts);
  const auto inside = [&](const std::vector<Row>& all) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Row& row) {
      return row.t >= window.start && row.t <= window.end;
    }));
  };
  HistogramCells out = CellsOfRows(series, whole, window, restarts);
  out.left_out = inside(rows) - inside(whole);
  if (out.cells() > 0 || out.left_out == 0) return out;
  out = CellsOfRows(series, RaisedToRunningMaximum(rows), window, restarts);
  out.left_out = inside(rows);
  out.torn = out.cells() > 0;
  if (out.torn) out.raw_upto = RawIncreases(rows, out.edges.front(), out.edges.back());
  return out;
}

HistogramCells CellsInside(const HistogramCells& cells, const TimeRange& range) {
  HistogramCells out;
  out.labels = cells.labels;
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

std::vector<double> TotalBuckets(const HistogramCells& cells) {
  std::vector<double> total(cells.bounds.size(), 0.0);
  for (std::size_t i = 0; i < cells.cells(); ++i) {
    const auto row = cells.Buckets(i);
    for (std::size_t b = 0; b < row.size(); ++b) total[b] += row[b];
  }
  return total;
}

double TotalCount(const HistogramCells& cells) {
  return std::accumulate(cells.buckets.begin(), cells.buckets.end(), 0.0);
}

double TotalSum(const HistogramCells& cells) {
  return std::accumulate(cells.sums.begin(), cells.sums.end(), 0.0);
}

}  // namespace schedlens
