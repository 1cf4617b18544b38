// Plots over time.

#include "report/plot_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kube/metrics.h"
#include "model/seconds.h"
#include "model/text.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/plot_marks.h"

namespace schedlens {

namespace {

constexpr int kTimeTicks = 6;
constexpr int kValueTicks = 6;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> Times(const Timeline& timeline) {
  std::vector<double> times;
  for (const TimeMs time : timeline.times) times.push_back(MsToSeconds(time));
  return times;
}

bool AnyFinite(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

double GreatestOf(const std::vector<double>& values) {
  double greatest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) greatest = std::max(greatest, value);
  }
  return greatest;
}

// From one column before the first end to the last end: a column ends at its time.
Axis TimeAxis(const Messages& t, const Timeline& timeline) {
  Axis axis{MsToSeconds(timeline.times.front()), MsToSeconds(timeline.times.back()), {}};
  if (timeline.times.size() > 1) {
    axis.low -= (axis.high - axis.low) / static_cast<double>(timeline.times.size() - 1);
  } else {
    axis.low -= 1;
  }
  axis.ticks = TimeTicks(axis.low, axis.high, kTimeTicks, t.zone());
  return axis;
}

std::vector<Span> Spans(const Messages& t, const Diagnosis& d) {
  std::vector<Span> spans;
  if (d.baseline) {
    spans.push_back({MsToSeconds(d.baseline->start), MsToSeconds(d.baseline->end), "before",
                     t("plot.baseline")});
  }
  spans.push_back(
      {MsToSeconds(d.window.start), MsToSeconds(d.window.end), "window", t("plot.window")});
  return spans;
}

// A plot over time of counts.
std::optional<Plot> CountsPlot(const Messages& t, const Diagnosis& d, std::string title,
                               std::vector<PlotSeries> series) {
  std::erase_if(series, [](const PlotSeries& one) { return !AnyFinite(one.y); });
  if (series.empty() || d.timeline.times.empty()) return std::nullopt;
  Plot plot;
  plot.title = std::move(title);
  plot.x = TimeAxis(t, d.timeline);
  double top = 1;
  for (PlotSeries& one : series) {
    one.x = Times(d.timeline);
    top = std::max(top, GreatestOf(one.y));
    plot.description += (plot.description.empty() ? "" : t("join.semicolon")) +
                        t("plot.up_to", one.label, Count(GreatestOf(one.y)));
  }
  plot.y = {0, top * 1.05, CountTicks(0, top * 1.05, kValueTicks)};
  plot.series = std::move(series);
  plot.spans = Spans(t, d);
  return plot;
}

// Every n-th column, so that a table stays short.
std::vector<std::size_t> RowsOf(const Timeline& timeline) {
  constexpr std::size_t kMostRows = 40;
  std::vector<std::size_t> rows;
  const std::size_t every = timeline.times.size() / kMostRows + 1;
  for (std::size_t i = 0; i < timeline.times.size(); i += every) rows.push_back(i);
  return rows;
}

std::optional<double> At(const std::vector<double>& values, std::size_t i) {
  return std::isfinite(values[i]) ? std::optional(values[i]) : std::nullopt;
}

}  // namespace

std::optional<Plot> AlertPlot(const Messages& t, const Diagnosis& d) {
  const Timeline& timeline = d.timeline;
  if (timeline.times.empty() || !AnyFinite(timeline.shown)) return std::nullopt;
  Plot plot;
  const std::string name = d.alert ? AlertSubject(t, *d.alert) : t("report.the_alerts_value");
  plot.title = t("plot.over_time", name);
  plot.description = t("timeline.up_to", Seconds(t, GreatestOf(timeline.shown)));
  plot.x = TimeAxis(t, timeline);
  double top = GreatestOf(timeline.shown);
  if (d.alert && d.alert->threshold) {
    top = std::max(top, *d.alert->threshold);
    plot.rules.push_back(
        {*d.alert->threshold, false, t("plot.threshold", Seconds(t, d.alert->threshold))});
  }
  // An open or very wide band would press the line to the ground; it is cut at the top instead.
  top = std::max(top, std::min(GreatestOf(timeline.high), 2 * top)) * 1.08;
  if (!(top > 0)) top = 1;
  plot.y = {0, top, SecondsTicks(t, 0, top, kValueTicks)};
  if (AnyFinite(timeline.low) && AnyFinite(timeline.high)) {
    plot.series.push_back(
        {"accent", t("table.proven"), Times(timeline), timeline.low, timeline.high, false});
  }
  plot.series.push_back(
      {"accent", t("report.shown_by_the_server"), Times(timeline), timeline.shown, {}, false});
  plot.spans = Spans(t, d);
  plot.marks = MarksOf(t, d);
  return plot;
}

namespace {

/// The rows of the heatmap: the buckets that any attempt fell into.
struct BucketRows {
  std::size_t first = 0, last = 0;
  std::size_t size() const { return last - first + 1; }
};

std::optional<BucketRows> RowsWithAttempts(const Timeline& timeline) {
  BucketRows rows{timeline.bounds.size(), 0};
  for (const auto& column : timeline.e2e) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (!(column[i] > 0)) continue;
      rows.first = std::min(rows.first, i);
      rows.last = std::max(rows.last, i);
    }
  }
  if (rows.first > rows.last) return std::nullopt;
  return rows;
}

std::string BoundText(const Messages& t, double bound, Rounding rounding) {
  return std::isfinite(bound) ? Seconds(t, bound, rounding) : "+Inf";
}

Axis BucketAxis(const Messages& t, const std::vector<double>& bounds, const BucketRows& rows) {
  Axis axis{0, static_cast<double>(rows.size()), {}};
  const std::size_t every = (rows.last - rows.first) / 8 + 1;
  for (std::size_t i = rows.first; i <= rows.last; ++i) {
    if ((rows.last - i) % every != 0) continue;
    axis.ticks.push_back(
        {static_cast<double>(i - rows.first + 1), BoundText(t, bounds[i], Rounding::kUp)});
  }
  return axis;
}

/// The attempts of each column and row; neighbouring columns are added up where there are too many.
std::vector<std::vector<double>> Cells(const Timeline& timeline, const BucketRows& rows) {
  constexpr std::size_t kMostColumns = 120;
  const std::size_t groups = std::min(kMostColumns, timeline.e2e.size());
  std::vector<std::vector<double>> all(groups, std::vector<double>(rows.size(), 0));
  for (std::size_t c = 0; c < timeline.e2e.size(); ++c) {
    const std::vector<double>& column = timeline.e2e[c];
    auto& cells = all[c * groups / timeline.e2e.size()];
    for (std::size_t i = rows.first; i <= rows.last; ++i) {
      if (column[i] > 0) cells[i - rows.first] += column[i];
    }
  }
  return all;
}

/// Values as places among the rows: their bucket, and linearly inside it.
std::vector<double> PlacesOf(const std::vector<double>& values, const std::vector<double>& bounds,
                             const BucketRows& rows) {
  const auto place = [&](double value) {
    if (!std::isfinite(value)) return kNaN;
    for (std::size_t i = 0; i <= rows.last; ++i) {
      const double low = i > 0 ? bounds[i - 1] : 0;
      if (value > bounds[i]) continue;
      const double part = std::isfinite(bounds[i]) ? (value - low) / (bounds[i] - low) : 0.5;
      return static_cast<double>(i) + part - static_cast<double>(rows.first);
    }
    return static_cast<double>(rows.size());
  };
  std::vector<double> places;
  places.reserve(values.size());
  for (const double value : values) places.push_back(place(value));
  return places;
}

}  // namespace

std::optional<HeatmapPlot> E2eHeatmap(const Messages& t, const Diagnosis& d) {
  const Timeline& timeline = d.timeline;
  const auto& bounds = timeline.bounds;
  if (timeline.e2e.empty()) return std::nullopt;
  const auto rows = RowsWithAttempts(timeline);
  if (!rows) return std::nullopt;

  HeatmapPlot plot;
  plot.title = t("report.attempts_by_e2e_time_over_time");
  plot.x = TimeAxis(t, timeline);
  plot.y = BucketAxis(t, bounds, *rows);
  plot.cells = Cells(timeline, *rows);
  plot.scale = t("plot.scale");
  plot.description =
      t("plot.heatmap", rows->first > 0 ? Seconds(t, bounds[rows->first - 1]) : Seconds(t, 0.0),
        BoundText(t, bounds[rows->last], Rounding::kNearest));
  const bool of_e2e = d.alert && (d.alert->metric == kube::NameOf(kube::Metric::kE2e) ||
                                  d.alert->metric == kube::NameOf(kube::Metric::kAttempt));
  if (!of_e2e) return plot;
  const auto add = [&](const std::string& label, const std::vector<double>& low,
                       const std::vector<double>& high) {
    plot.series.push_back({"warn", label, Times(timeline), PlacesOf(low, bounds, *rows),
                           PlacesOf(high, bounds, *rows), false});
  };
  if (AnyFinite(timeline.low) && AnyFinite(timeline.high)) {
    add(t("table.proven"), timeline.low, timeline.high);
  }
  add(QuantileName(d.alert->quantile), timeline.shown, {});
  return plot;
}

std::optional<Plot> QueuePlot(const Messages& t, const Diagnosis& d) {
  return CountsPlot(t, d, t("report.pods_waiting_in_the_queues"),
                    {{"accent", "active", {}, d.timeline.pending_active, {}, false},
                     {"warn", "backoff", {}, d.timeline.pending_backoff, {}, false},
                     {"muted", "unschedulable", {}, d.timeline.pending_unschedulable, {}, false}});
}

std::optional<Plot> ThroughputPlot(const Messages& t, const Diagnosis& d) {
  return CountsPlot(t, d, t("report.attempts_in_each_column_and_binds"),
                    {{"accent", t("report.scheduled"), {}, d.timeline.scheduled, {}, false},
                     {"warn", t("report.failed"), {}, d.timeline.failed, {}, false},
                     {"muted", t("report.binds_in_flight"), {}, d.timeline.binding, {}, false}});
}

ReportTable AlertTable(const Messages& t, const Diagnosis& d) {
  const Timeline& timeline = d.timeline;
  ReportTable table{
      {{ZoneText(t.zone(), d.window.end)}, {t("table.shown"), true}, {t("table.proven"), true}},
      {}};
  for (const std::size_t i : RowsOf(timeline)) {
    table.rows.push_back({{TimeOfDay(timeline.times[i], t.zone()), {}},
                          SecondsCell(t, At(timeline.shown, i)),
                          SecondsRangeCell(t, {At(timeline.low, i), At(timeline.high, i)})});
  }
  return table;
}

ReportTable QueueTimesTable(const Messages& t, const Diagnosis& d) {
  const Timeline& timeline = d.timeline;
  ReportTable table{{{ZoneText(t.zone(), d.window.end)},
                     {"active", true},
                     {"backoff", true},
                     {"unschedulable", true},
                     {t("report.scheduled"), true},
                     {t("report.failed"), true},
                     {t("report.binds_in_flight"), true}},
                    {}};
  for (const std::size_t i : RowsOf(timeline)) {
    table.rows.push_back({{TimeOfDay(timeline.times[i], t.zone()), {}},
                          CountCell(At(timeline.pending_active, i)),
                          CountCell(At(timeline.pending_backoff, i)),
                          CountCell(At(timeline.pending_unschedulable, i)),
                          CountCell(At(timeline.scheduled, i)),
                          CountCell(At(timeline.failed, i)),
                          CountCell(At(timeline.binding, i))});
  }
  return table;
}

ReportTable BucketTable(const Messages& t, const Diagnosis& d) {
  const Timeline& timeline = d.timeline;
  ReportTable table{{{t("report.bucket_up_to"), true}, {t("report.attempts_in_all_columns"), true}},
                    {}};
  for (std::size_t i = 0; i < timeline.bounds.size(); ++i) {
    double total = 0;
    for (const auto& column : timeline.e2e) {
      if (std::isfinite(column[i])) total += column[i];
    }
    const double bound = timeline.bounds[i];
    TableCell name = std::isfinite(bound) ? TableCell{Seconds(t, bound, Rounding::kUp), {bound}}
                                          : TableCell{"+Inf", {}};
    // The total is a sum of the JSON's numbers, not one of them.
    table.rows.push_back({name, {Count(total), {}}});
  }
  return table;
}

}  // namespace schedlens
