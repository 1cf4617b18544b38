#pragma once

// Plots as inline SVG, and what they are made of.

#include <string>

#include "report/section.h"

namespace schedlens {

/// The SVG's own coordinates: it is stretched to the available width.
inline constexpr double kPlotWidth = 1000;
inline constexpr double kPlotHeight = 240;

/// A plot as an HTML figure: labels are HTML, the picture is an inline SVG that stretches, so that
/// text keeps its size at any width.
std::string DrawPlot(const Plot& plot);

/// A coordinate with at most one decimal.
std::string Coordinate(double value);
/// Where a value lies, clamped into the picture.
double PlaceX(const Axis& axis, double value);
double PlaceY(const Axis& axis, double value);
/// One line, or a band when the series has `y2`; interrupted where a value is not finite.
std::string DrawSeries(const Axis& x, const Axis& y, const PlotSeries& series);

/// Moments on a time axis: scrapes as ticks along the bottom, changes as numbered lines from top to
/// bottom, each over a shade as wide as its time is uncertain.
std::string DrawMarks(const Axis& x, const PlotMarks& marks);
/// HTML: the numbers above the lines, those of close ones together as `2–4`.
std::string MarkLabels(const Axis& x, const PlotMarks& marks);
/// HTML: the items of the legend.
std::string MarkLegend(const PlotMarks& marks);

}  // namespace schedlens
