#ifndef SCHEDLENS_REPORT_HTML_SVG_MARKS_H_
#define SCHEDLENS_REPORT_HTML_SVG_MARKS_H_

// Moments on a time axis: scrapes as ticks along the bottom, changes as numbered lines from top to
// bottom, each over a shade as wide as its time is uncertain.

#include <string>

#include "report/plot.h"

namespace schedlens {

/// SVG content.
std::string DrawMarks(const Axis& x, const PlotMarks& marks);
/// HTML: the numbers above the lines, those of close ones together as `2–4`.
std::string MarkLabels(const Axis& x, const PlotMarks& marks);
/// HTML: the items of the legend.
std::string MarkLegend(const PlotMarks& marks);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_HTML_SVG_MARKS_H_
