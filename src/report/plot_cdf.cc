// Cumulative curves: where two histograms part.

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/plot_data.h"

namespace schedlens {

namespace {

// The y axis counts nines, so that the tail has room: 90 %, 99 %, 99.9 % are equally far apart.
constexpr double kMostNines = 4;

double Nines(double fraction) {
  if (!std::isfinite(fraction)) return std::numeric_limits<double>::quiet_NaN();
  const double rest = 1 - std::clamp(fraction, 0.0, 1.0);
  return rest > 1e-4 ? -std::log10(rest) : kMostNines;
}

Axis NinesAxis(const Messages& t) {
  Axis axis{0, kMostNines, {}};
  for (const double fraction : {0.0, 0.5, 0.9, 0.99, 0.999}) {
    axis.ticks.push_back({Nines(fraction), Percent(t, fraction)});
  }
  axis.ticks.push_back({kMostNines, t("number.unit", 100, "%")});
  return axis;
}

struct Curve {
  std::string style, label;
  std::vector<double> values;
};

std::optional<Plot> CdfPlot(const Messages& t, const std::string& title,
                            const std::vector<double>& bounds, const std::vector<Curve>& curves) {
  std::vector<double> x;
  Plot plot;
  plot.x = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), {}};
  for (const double bound : bounds) {
    // +Inf has no place on a logarithmic axis; all curves are at 100 % there anyway.
    const bool drawn = std::isfinite(bound) && bound > 0;
    x.push_back(drawn ? std::log10(bound) : std::numeric_limits<double>::quiet_NaN());
    if (drawn) plot.x.low = std::min(plot.x.low, x.back());
    if (drawn) plot.x.high = std::max(plot.x.high, x.back());
  }
  if (!(plot.x.high > plot.x.low)) return std::nullopt;
  const double step = std::max(1.0, std::ceil((plot.x.high - plot.x.low) / 7));
  for (double decade = std::ceil(plot.x.low - 1e-9); decade <= plot.x.high + 1e-9; decade += step) {
    plot.x.ticks.push_back({decade, Seconds(t, std::pow(10, decade))});
  }
  plot.title = title;
  plot.y = NinesAxis(t);
  for (const Curve& curve : curves) {
    PlotSeries series{curve.style, curve.label, x, {}, {}, false};
    for (const double value : curve.values) series.y.push_back(Nines(value));
    plot.series.push_back(std::move(series));
  }
  return plot;
}

TableCell BoundCell(const Messages& t, double bound) {
  if (!std::isfinite(bound)) return {"+Inf", {}};
  return {Seconds(t, bound, Rounding::kUp), {bound}};
}

TableCell FractionCell(const Messages& t, double fraction) {
  if (!std::isfinite(fraction)) return {kUnknown, {}};
  return {Percent(t, fraction), {fraction}};
}

std::string MetricName(const std::string& metric) { return Shorten(Visible(metric), 80); }

}  // namespace

std::optional<Plot> InversionPlot(const Messages& t, const Diagnosis& d) {
  if (!d.inversion) return std::nullopt;
  const CdfPair& pair = *d.inversion;
  auto plot = CdfPlot(t, t("report.cumulative_curves_of_the_two_metrics"), pair.bounds,
                      {{"muted", MetricName(t(pair.lower_metric)), pair.lower},
                       {"accent", MetricName(t(pair.upper_metric)), pair.upper}});
  if (plot && pair.witness && *pair.witness > 0) {
    plot->rules.push_back(
        {std::log10(*pair.witness), true, t("plot.witness", Seconds(t, pair.witness))});
    plot->description = t("plot.crossing", Seconds(t, pair.witness));
  }
  return plot;
}

std::optional<Plot> CrossCheckPlot(const Messages& t, const Diagnosis& d) {
  if (!d.cross_check || d.cross_check->cdf.empty()) return std::nullopt;
  std::vector<double> bounds;
  Curve measured{"accent", t("table.measured"), {}};
  Curve replayed{"warn", t("table.replayed"), {}};
  for (const CdfPoint& point : d.cross_check->cdf) {
    bounds.push_back(point.bound);
    measured.values.push_back(point.measured);
    replayed.values.push_back(point.predicted);
  }
  auto plot = CdfPlot(t, t("report.e2e_time_measured_and_replayed"), bounds, {measured, replayed});
  if (plot && d.cross_check->distance) {
    plot->description = t("cross_check.gap", Percent(t, d.cross_check->distance));
  }
  return plot;
}

ReportTable InversionTable(const Messages& t, const Diagnosis& d) {
  ReportTable table;
  if (!d.inversion) return table;
  const CdfPair& pair = *d.inversion;
  table.columns = {{t("report.bucket_up_to"), true},
                   {MetricName(t(pair.lower_metric)), true},
                   {MetricName(t(pair.upper_metric)), true}};
  for (std::size_t i = 0; i < pair.bounds.size(); ++i) {
    table.rows.push_back({BoundCell(t, pair.bounds[i]), FractionCell(t, pair.lower[i]),
                          FractionCell(t, pair.upper[i])});
  }
  return table;
}

ReportTable CrossCheckTable(const Messages& t, const Diagnosis& d) {
  ReportTable table{
      {{t("report.bucket_up_to"), true}, {t("table.measured"), true}, {t("table.replayed"), true}},
      {}};
  if (!d.cross_check) return table;
  for (const CdfPoint& point : d.cross_check->cdf) {
    table.rows.push_back({BoundCell(t, point.bound), FractionCell(t, point.measured),
                          FractionCell(t, point.predicted)});
  }
  return table;
}

}  // namespace schedlens
