#include "base/not_finite.h"
#include "kube/metrics.h"
#include "report/format.h"
#include "report/sections.h"

namespace schedlens {
namespace {

constexpr int kTicks = 6;
// The smallest of 1, 2, 5 times a power of ten that makes at most `count` steps.
double RoundStep(double width, int count) {
  const double rough = width / count, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/// At the multiples of `step` within the two; none where they are no range.
template <class Label>
std::vector<Tick> TicksAt(double low, double high, double step, Label label) {
  std::vector<Tick> ticks;
  if (!std::isfinite(low) || !std::isfinite(high) || !(high > low)) return ticks;
  const double first = std::ceil(low / step - 1e-9);
  // Bounded: a step is at least a hundredth of the width.
  for (int i = 0; i <= 100 && (first + i) * step <= high * (1 + 1e-12); ++i) {
    const double at = (first + i) * step;
    ticks.push_back({at, label(at)});
  }
  return ticks;
}

std::vector<double> Times(const Timeline& timeline) {
  std::vector<double> times;
  for (const TimeMs time : timeline.times) times.push_back(MsToSeconds(time));
  return times;
}

bool AnyFinite(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double v) { return std::isfinite(v); });
}

// From one column before the first end to the last end: a column ends at its time.
Axis TimeAxis(const Messages& t, const Timeline& timeline) {
  Axis axis{MsToSeconds(timeline.times.front()), MsToSeconds(timeline.times.back()), {}};
  const auto columns = static_cast<double>(timeline.times.size() - 1);
  axis.low -= columns > 0 ? (axis.high - axis.low) / columns : 1;
  axis.ticks = TimeTicks(axis.low, axis.high, kTicks, t.zone());
  return axis;
}

std::vector<Span> Spans(const Messages& t, const Diagnosis& d) {
  std::vector<Span> spans;
  const auto add = [&](const TimeRange& range, const char* style, const std::string& label) {
    spans.push_back({MsToSeconds(range.start), MsToSeconds(range.end), style, label});
  };
  if (d.baseline) add(*d.baseline, "before", t("plot.baseline"));
  add(d.window, "window", t("plot.window"));
  std::size_t others = 0;
  for (const Episode& one : d.episodes) {
    if (one.reported || others == kMostListed) continue;
    add(one.window, "episode", others++ > 0 ? "" : t("plot.episodes"));
  }
  bool told = false;
  for (const SchedulerEvent& one : d.events) {
    if (!one.id.starts_with("scheduler.")) continue;
    const TimeMs last = d.timeline.times.empty() ? d.window.end : d.timeline.times.back();
    add({one.start, one.end.value_or(last)}, "nobody", told ? "" : t("plot.nobody"));
    told = true;
  }
  return spans;
}

TableCell BoundCell(const Messages& t, double bound, Rounding rounding = Rounding::kUp) {
  if (!std::isfinite(bound)) return {"+Inf"};
  return {Seconds(t, bound, rounding), {bound}};
}

/// A row for every n-th column of the timeline, so that a table stays short: its time, and behind
/// it the `cells` of that column.
template <class Cells>
ReportTable TimesTable(const Messages& t, const Diagnosis& d,
                       std::initializer_list<std::string> headings, Cells cells) {
  constexpr std::size_t kMostRows = 40;
  const std::vector<TimeMs>& times = d.timeline.times;
  ReportTable table = Columns(t, {ZoneText(t.zone(), d.window.end)}, headings);
  for (std::size_t i = 0; i < times.size(); i += times.size() / kMostRows + 1) {
    auto& row = table.rows.emplace_back(cells(i));
    row.insert(row.begin(), {TimeOfDay(times[i], t.zone())});
  }
  return table;
}

/// Each one on top of those before it, as bands; what is not known of one adds nothing to it.
void Stack(std::vector<PlotSeries>* series) {
  std::vector<double> below;
  for (PlotSeries& one : *series) {
    below.resize(one.y.size(), 0);
    one.y2 = below;
    for (std::size_t i = 0; i < one.y.size(); ++i) {
      if (std::isfinite(one.y[i])) below[i] += one.y[i], one.y[i] = below[i];
    }
  }
}

/// A plot over time of counts, one line each or `stacked`. The numbers are those of all that are
/// counted over time.
std::optional<Plot> CountsPlot(const Messages& t, const Diagnosis& d, std::string title,
                               std::vector<PlotSeries> series, bool stacked = false) {
  const Timeline& line = d.timeline;
  std::erase_if(series, [](const PlotSeries& one) { return !AnyFinite(one.y); });
  if (series.empty() || line.times.empty()) return std::nullopt;
  Plot plot{.title = std::move(title), .x = TimeAxis(t, line), .spans = Spans(t, d)};
  for (PlotSeries& one : series) {
    one.x = Times(line);
    plot.description += (plot.description.empty() ? "" : t("join.semicolon")) +
                        t("plot.up_to", one.label, Count(GreatestOf(one.y)));
  }
  if (stacked) Stack(&series);
  double top = 1;
  for (const PlotSeries& one : series) top = std::max(top, GreatestOf(one.y));
  const double high = top * 1.05, step = std::max(1.0, RoundStep(high, kTicks));
  plot.y = {0, high, TicksAt(0, high, step, [](double at) { return Count(at); })};
  plot.series = std::move(series);
  plot.numbers =
      TimesTable(t, d,
                 {"active", "backoff", "unschedulable", "gated", "report.scheduled",
                  "report.failed", "report.binds_in_flight"},
                 [&](std::size_t i) {
                   std::vector<TableCell> cells;
                   for (const auto* values :
                        {&line.pending_active, &line.pending_backoff, &line.pending_unschedulable,
                         &line.pending_gated, &line.scheduled, &line.failed, &line.binding}) {
                     cells.push_back(CountCell(i < values->size() ? (*values)[i] : kNaN));
                   }
                   return cells;
                 });
  return plot;
}

/// What the alert shows, over its proven band; `place` gives the y of values.
template <class Place>
void AddShown(const Messages& t, const Timeline& timeline, const char* style, std::string label,
              const Place& place, Plot* plot) {
  const std::vector<double> times = Times(timeline);
  if (AnyFinite(timeline.low) && AnyFinite(timeline.high)) {
    plot->series.push_back(
        {style, t("table.proven"), times, place(timeline.low), place(timeline.high)});
  }
  plot->series.push_back({style, std::move(label), times, place(timeline.shown)});
}

/// Values as places among the rows: their bucket, and linearly inside it.
std::vector<double> PlacesOf(const std::vector<double>& values, const std::vector<double>& bounds,
                             const HeatCells& heat) {
  std::vector<double> places;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      places.push_back(kNaN);
      continue;
    }
    std::size_t i = 0;
    while (i < heat.first + heat.rows && value > bounds[i]) ++i;
    double place = static_cast<double>(heat.rows);
    if (i < heat.first + heat.rows) {
      const double low = i > 0 ? bounds[i - 1] : 0;
      const double part = std::isfinite(bounds[i]) ? (value - low) / (bounds[i] - low) : 0.5;
      place = static_cast<double>(i) + part - static_cast<double>(heat.first);
    }
    places.push_back(place);
  }
  return places;
}

// The y axis of cumulative curves counts nines, so that the tail has room: 90 %, 99 %, 99.9 % are
// equally far apart.
constexpr double kMostNines = 4;

double Nines(double fraction) {
  if (!std::isfinite(fraction)) return kNaN;
  const double rest = 1 - std::clamp(fraction, 0.0, 1.0);
  return rest > 1e-4 ? -std::log10(rest) : kMostNines;
}

ReportTable CdfTable(const Messages& t, const std::vector<double>& bounds,
                     const std::vector<PlotSeries>& curves) {
  ReportTable table = Columns(t, {}, {"report.bucket_up_to"});
  for (const PlotSeries& curve : curves) table.columns.push_back({curve.label, true});
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    auto& row = table.rows.emplace_back();
    row.push_back(BoundCell(t, bounds[i]));
    for (const PlotSeries& curve : curves) row.push_back(PercentCell(t, curve.y[i]));
  }
  return table;
}

/// Cumulative curves over the same bounds; the fractions are their y.
std::optional<Plot> CdfPlot(const Messages& t, const char* title, const std::vector<double>& bounds,
                            std::vector<PlotSeries> curves) {
  std::vector<double> x;
  Plot plot{.title = t(title), .x = {kInfinity, -kInfinity, {}}, .y = {0, kMostNines, {}}};
  for (const double bound : bounds) {
    // +Inf has no place on a logarithmic axis; all curves are at 100 % there anyway.
    const bool drawn = std::isfinite(bound) && bound > 0;
    x.push_back(drawn ? std::log10(bound) : kNaN);
    if (drawn) plot.x.low = std::min(plot.x.low, x.back());
    if (drawn) plot.x.high = std::max(plot.x.high, x.back());
  }
  if (!(plot.x.high > plot.x.low)) return std::nullopt;
  const double step = std::max(1.0, std::ceil((plot.x.high - plot.x.low) / 7));
  for (double decade = std::ceil(plot.x.low - 1e-9); decade <= plot.x.high + 1e-9; decade += step) {
    plot.x.ticks.push_back({decade, Seconds(t, std::pow(10, decade))});
  }
  for (const double fraction : {0.0, 0.5, 0.9, 0.99, 0.999}) {
    plot.y.ticks.push_back({Nines(fraction), Percent(t, fraction)});
  }
  plot.y.ticks.push_back({kMostNines, t("number.unit", 100, "%")});
  plot.numbers = CdfTable(t, bounds, curves);
  for (PlotSeries& curve : curves) {
    curve.x = x;
    std::transform(curve.y.begin(), curve.y.end(), curve.y.begin(), Nines);
  }
  plot.series = std::move(curves);
  return plot;
}

/// The window starts at the last scrape before the slow attempts: until the next one nobody knows
/// what came first.
TimeMs FirstSlowScrape(const Diagnosis& d) {
  const std::vector<TimeMs>& times = d.timeline.times;
  const auto next = std::upper_bound(times.begin(), times.end(), d.window.start);
  return next == times.end() ? d.window.end : *next;
}

PlotMark MarkOf(const Messages& t, const ClusterChange& change, TimeMs onset) {
  constexpr std::size_t kLabelLimit = 140;
  PlotMark mark{.at = MsToSeconds(change.at),
                .from = MsToSeconds(change.earliest),
                .to = MsToSeconds(change.latest),
                .late = change.earliest > onset,
                .label = TimeOfDay(change.at, t.zone()) + " " + ChangeText(t, change)};
  if (mark.late) mark.label = t("plot.late", mark.label);
  mark.label = Shorten(Visible(mark.label), kLabelLimit);
  return mark;
}

/// The scrapes that the timeline's columns end at, and the changes that have a time of their own
/// and may lie within the timeline, ascending. A change that is proven to have come after the
/// window's first scrape with slow attempts is late.
PlotMarks MarksOf(const Messages& t, const Diagnosis& d) {
  PlotMarks marks;
  const TimeMs onset = FirstSlowScrape(d);
  marks.scrapes = Times(d.timeline);
  marks.scrapes_label = t("plot.scrapes");
  for (const ClusterChange& change : d.changes) {
    const bool outside =
        change.latest < d.timeline.times.front() || change.earliest > d.timeline.times.back();
    if (HasTimeOfItsOwn(change) && !outside) {
      marks.changes.push_back(MarkOf(t, change, onset));
    }
  }
  std::ranges::stable_sort(marks.changes, {}, &PlotMark::at);
  return marks;
}

}  // namespace

std::vector<Tick> SecondsTicks(const Messages& t, double low, double high, int count) {
  return TicksAt(low, high, RoundStep(high - low, count), [&](double at) {
    // Multiples carry rounding noise that the label must not show.
    return Seconds(t, ParseNumber(fmt::format("{:.6g}", at)));
  });
}

std::vector<Tick> TimeTicks(double low, double high, int count, const Zone& zone) {
  static constexpr double kSteps[] = {1,   2,    5,    10,   15,    30,    60,    120,   300,   600,
                                      900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800};
  const double step = *std::find_if(std::begin(kSteps), std::end(kSteps) - 1,
                                    [&](double one) { return (high - low) / one <= count; });
  return TicksAt(low, high, step, [&](double at) {
    const TimeMs time = std::llround(at) * 1000;
    if (step >= 86400) return DateAndTime(time, zone).substr(0, 10);
    return TimeOfDay(time, zone).substr(0, step >= 60 ? 5 : std::string::npos);
  });
}

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
  plot.y = {0, top, SecondsTicks(t, 0, top, kTicks)};
  AddShown(
      t, timeline, "accent", t("report.shown_by_the_server"), [](auto& all) { return all; }, &plot);
  plot.spans = Spans(t, d);
  plot.marks = MarksOf(t, d);
  plot.numbers = TimesTable(t, d, {"table.shown", "table.proven"}, [&](std::size_t i) {
    return std::vector<TableCell>{SecondsCell(t, timeline.shown[i]),
                                  SecondsRangeCell(t, {timeline.low[i], timeline.high[i]})};
  });
  return plot;
}

HeatCells HeatCellsOf(const Timeline& timeline, int most) {
  HeatCells heat;
  std::size_t first = timeline.bounds.size(), last = 0;
  for (const auto& column : timeline.e2e) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (!(column[i] > 0)) continue;
      first = std::min(first, i);
      last = std::max(last, i);
    }
  }
  if (first == timeline.bounds.size()) return heat;
  heat.first = first;
  heat.rows = last - first + 1;
  const std::size_t columns = timeline.e2e.size();
  const std::size_t groups = std::min(static_cast<std::size_t>(std::max(most, 1)), columns);
  heat.cells.assign(groups, std::vector<double>(heat.rows, 0));
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t i = 0; i < heat.rows; ++i) {
      const double count = timeline.e2e[c][first + i];
      if (count > 0) heat.cells[c * groups / columns][i] += count;
    }
  }
  return heat;
}

std::optional<Plot> E2eHeatmap(const Messages& t, const Diagnosis& d) {
  constexpr int kMostColumns = 120;
  const Timeline& timeline = d.timeline;
  const auto& bounds = timeline.bounds;
  HeatCells heat = HeatCellsOf(timeline, kMostColumns);
  if (heat.rows == 0 || timeline.times.empty()) return std::nullopt;
  Plot plot;
  plot.title = t("report.attempts_by_e2e_time_over_time");
  plot.x = TimeAxis(t, timeline);
  plot.y = {0, static_cast<double>(heat.rows), {}};
  const std::size_t every = (heat.rows - 1) / 8 + 1;
  for (std::size_t i = (heat.rows - 1) % every; i < heat.rows; i += every) {
    plot.y.ticks.push_back({static_cast<double>(i + 1), BoundCell(t, bounds[heat.first + i]).text});
  }
  plot.scale = t("plot.scale");
  plot.description = t("plot.heatmap", Seconds(t, heat.first > 0 ? bounds[heat.first - 1] : 0.0),
                       BoundCell(t, bounds[heat.first + heat.rows - 1], Rounding::kNearest).text);
  const bool of_e2e = d.alert && (d.alert->metric == kube::NameOf(kube::Metric::kE2e) ||
                                  d.alert->metric == kube::NameOf(kube::Metric::kAttempt));
  if (of_e2e) {
    const auto places = [&](const auto& values) { return PlacesOf(values, bounds, heat); };
    AddShown(t, timeline, "warn", QuantileName(d.alert->quantile), places, &plot);
  }
  plot.numbers = Columns(t, {}, {"report.bucket_up_to", "report.attempts_in_all_columns"});
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    double total = 0;
    for (const auto& column : timeline.e2e) {
      if (std::isfinite(column[i])) total += column[i];
    }
    // The total is a sum of the JSON's numbers, not one of them.
    plot.numbers.rows.push_back({BoundCell(t, bounds[i]), {Count(total)}});
  }
  plot.cells = std::move(heat.cells);
  return plot;
}

std::optional<Plot> QueuePlot(const Messages& t, const Diagnosis& d) {
  return CountsPlot(t, d, t("report.pods_waiting_in_the_queues"),
                    {{"stack accent", "active", {}, d.timeline.pending_active},
                     {"stack warn", "backoff", {}, d.timeline.pending_backoff},
                     {"stack muted", "unschedulable", {}, d.timeline.pending_unschedulable},
                     {"stack good", "gated", {}, d.timeline.pending_gated}},
                    true);
}

std::optional<Plot> ThroughputPlot(const Messages& t, const Diagnosis& d) {
  return CountsPlot(t, d, t("report.attempts_in_each_column_and_binds"),
                    {{"accent", t("report.scheduled"), {}, d.timeline.scheduled},
                     {"warn", t("report.failed"), {}, d.timeline.failed},
                     {"muted", t("report.binds_in_flight"), {}, d.timeline.binding}});
}

std::optional<Plot> InversionPlot(const Messages& t, const Diagnosis& d) {
  if (!d.inversion) return std::nullopt;
  const CdfPair& pair = *d.inversion;
  const auto name = [&](const Message& metric) { return Shorten(Visible(t(metric)), 80); };
  auto plot = CdfPlot(t, "report.cumulative_curves_of_the_two_metrics", pair.bounds,
                      {{"muted", name(pair.lower_metric), {}, pair.lower},
                       {"accent", name(pair.upper_metric), {}, pair.upper}});
  if (plot && pair.witness.value_or(0) > 0) {
    const std::string witness = Seconds(t, pair.witness);
    plot->rules.push_back({std::log10(*pair.witness), true, t("plot.witness", witness)});
    plot->description = t("plot.crossing", witness);
  }
  return plot;
}

std::optional<Plot> CrossCheckPlot(const Messages& t, const Diagnosis& d) {
  if (!d.cross_check) return std::nullopt;
  std::vector<double> bounds, measured, predicted;
  for (const CdfPoint& point : d.cross_check->cdf) {
    bounds.push_back(point.bound);
    measured.push_back(point.measured);
    predicted.push_back(point.predicted);
  }
  auto plot = CdfPlot(t, "report.e2e_time_measured_and_replayed", bounds,
                      {{"accent", t("table.measured"), {}, std::move(measured)},
                       {"warn", t("table.replayed"), {}, std::move(predicted)}});
  if (plot && d.cross_check->distance) {
    plot->description = t("cross_check.gap", Percent(t, d.cross_check->distance));
  }
  return plot;
}

}  // namespace schedlens
