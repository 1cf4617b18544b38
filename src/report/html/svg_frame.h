#ifndef SCHEDLENS_REPORT_HTML_SVG_FRAME_H_
#define SCHEDLENS_REPORT_HTML_SVG_FRAME_H_

// What every picture has: coordinates, the frame with its axes, lines and bands.

#include <string>

#include "report/plot.h"

namespace schedlens {

/// The SVG's own coordinates: it is stretched to the available width.
inline constexpr double kPlotWidth = 1000;
inline constexpr double kPlotHeight = 240;

/// A coordinate with at most one decimal.
std::string Coordinate(double value);
/// Where a value lies, clamped into the picture.
double PlaceX(const Axis& axis, double value);
double PlaceY(const Axis& axis, double value);

/// One line, or a band when the series has `y2`; interrupted where a value is not finite.
std::string DrawSeries(const Axis& x, const Axis& y, const PlotSeries& series);
std::string DrawRule(const Axis& x, const Axis& y, const PlotRule& rule);

/// Labels, grid and legend around `picture`, which is SVG content; the marks' labels and legend.
std::string Frame(const std::string& title, const std::string& description, const Axis& x,
                  const Axis& y, const std::vector<PlotSeries>& series,
                  const std::vector<PlotRule>& rules, const std::vector<Span>& spans,
                  const std::string& picture, const PlotMarks& marks = {});

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_HTML_SVG_FRAME_H_
