#ifndef SCHEDLENS_REPORT_PLOT_H_
#define SCHEDLENS_REPORT_PLOT_H_

// Plots as values: what to draw, not how. svg_plot.cc and svg_heatmap.cc draw them.

#include <string>
#include <vector>

#include "contract/series.h"
#include "report/messages/messages.h"

namespace schedlens {

struct Tick {
  double at = 0;
  std::string label;
};

/// An axis in plot coordinates. A logarithmic scale is made by taking logarithms of the data.
struct Axis {
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;
};

/// A line; with `y2` the band between the two. A gap is a NaN.
struct PlotSeries {
  std::string style;  ///< CSS class: "accent", "muted", "warn"
  std::string label;
  std::vector<double> x, y, y2;
  bool steps = false;  ///< horizontal until the next point
};

/// A straight line across: the threshold, a witness.
struct PlotRule {
  double at = 0;
  bool vertical = false;
  std::string label;
};

/// A shaded range of the x axis.
struct Span {
  double from = 0;
  double to = 0;
  std::string style;  ///< CSS class: "window", "before"
  std::string label;
};

/// Something that changed at a moment.
struct PlotMark {
  double at = 0;            ///< best guess
  double from = 0, to = 0;  ///< between which it was
  bool late = false;        ///< after what is looked into: drawn pale
  std::string label;
};

/// Moments on the x axis.
struct PlotMarks {
  std::vector<double> scrapes;
  std::string scrapes_label;
  std::vector<PlotMark> changes;  ///< ascending
};

struct Plot {
  std::string title;        ///< the picture's name for screen readers
  std::string description;  ///< what it shows, in a sentence
  Axis x, y;
  std::vector<PlotSeries> series;
  std::vector<PlotRule> rules;
  std::vector<Span> spans;
  PlotMarks marks;
};

/// Rows from the bottom up, one a bucket; columns from left to right.
struct HeatmapPlot {
  std::string title, description;
  Axis x, y;                               ///< y: 0 at the bottom of the first row, 1 a row
  std::vector<std::vector<double>> cells;  ///< [column][row]
  std::string scale;                       ///< what a cell counts: the heading of the scale
  std::vector<PlotSeries> series;          ///< drawn over the cells
  std::vector<PlotRule> rules;
};

/// About `count` round ticks from `low` to `high`, labelled as seconds.
std::vector<Tick> SecondsTicks(const Messages& t, double low, double high, int count);
/// About `count` round times of day; the axis is in unix seconds.
std::vector<Tick> TimeTicks(double low, double high, int count, const Zone& zone = {});
/// About `count` round whole numbers.
std::vector<Tick> CountTicks(double low, double high, int count);

/// A plot as an HTML figure: labels are HTML, the picture is an inline SVG that periods, so that
/// text keeps its size at any width.
std::string DrawPlot(const Plot& plot);
std::string DrawHeatmap(const HeatmapPlot& plot);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_PLOT_H_
