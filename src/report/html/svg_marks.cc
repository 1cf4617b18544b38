#include "report/html/svg_marks.h"

#include "report/escape.h"
#include "report/html/svg_frame.h"

namespace schedlens {
namespace {

/// Numbers closer than this part of the width would cover each other on a phone.
constexpr double kApart = 0.05;
constexpr double kTickHeight = 7;

std::string Style(const PlotMark& mark) { return mark.late ? "change late" : "change"; }

std::string Label(const Axis& x, const PlotMark& mark, std::size_t first, std::size_t last) {
  std::string text = std::to_string(first);
  if (last > first) text += "–" + std::to_string(last);
  return "<span class=\"" + std::string(mark.late ? "late" : "") +
         "\" style=\"left:" + Coordinate(PlaceX(x, mark.at) / kPlotWidth * 100) + "%\">" + text +
         "</span>";
}

}  // namespace

std::string DrawMarks(const Axis& x, const PlotMarks& marks) {
  std::string ticks, out;
  for (const double at : marks.scrapes) {
    ticks += "M" + Coordinate(PlaceX(x, at)) + " " + Coordinate(kPlotHeight) + "v-" +
             Coordinate(kTickHeight);
  }
  if (!ticks.empty()) out = "<path class=\"scrapes\" d=\"" + ticks + "\"/>";
  for (const PlotMark& mark : marks.changes) {
    const double from = PlaceX(x, mark.from);
    out += "<rect class=\"" + Style(mark) + "\" x=\"" + Coordinate(from) + "\" y=\"0\" width=\"" +
           Coordinate(PlaceX(x, mark.to) - from) + "\" height=\"" + Coordinate(kPlotHeight) +
           "\"/><path class=\"" + Style(mark) + "\" d=\"M" + Coordinate(PlaceX(x, mark.at)) +
           " 0V" + Coordinate(kPlotHeight) + "\"/>";
  }
  return out;
}

std::string MarkLabels(const Axis& x, const PlotMarks& marks) {
  if (marks.changes.empty()) return "";
  std::string out = "<div class=\"marks\" aria-hidden=\"true\">";
  std::size_t first = 0;
  for (std::size_t i = 1; i <= marks.changes.size(); ++i) {
    const PlotMark& start = marks.changes[first];
    const bool close = i < marks.changes.size() && marks.changes[i].late == start.late &&
                       PlaceX(x, marks.changes[i].at) - PlaceX(x, start.at) < kApart * kPlotWidth;
    if (close) continue;
    out += Label(x, start, first + 1, i);
    first = i;
  }
  return out + "</div>";
}

std::string MarkLegend(const PlotMarks& marks) {
  std::string out;
  if (!marks.scrapes.empty()) {
    out += "<li class=\"key-scrapes\">" + EscapeHtml(marks.scrapes_label) + "</li>";
  }
  std::size_t number = 0;
  for (const PlotMark& mark : marks.changes) {
    out += "<li class=\"key-change" + std::string(mark.late ? " late" : "") + "\"><b>" +
           std::to_string(++number) + "</b> " + EscapeHtml(mark.label) + "</li>";
  }
  return out;
}

}  // namespace schedlens
