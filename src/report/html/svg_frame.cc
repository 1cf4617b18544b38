#include "report/html/svg_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/escape.h"
#include "report/html/svg_marks.h"

namespace schedlens {

namespace {

double Place(const Axis& axis, double value) {
  const double width = axis.high - axis.low;
  if (!(width > 0)) return 0;
  return std::clamp((value - axis.low) / width, 0.0, 1.0);
}

// Runs of consecutive finite points.
std::vector<std::pair<std::size_t, std::size_t>> Runs(const PlotSeries& series) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= series.x.size(); ++i) {
    const bool gap = i == series.x.size() || !std::isfinite(series.y[i]) ||
                     !std::isfinite(series.x[i]) ||
                     (!series.y2.empty() && !std::isfinite(series.y2[i]));
    if (!gap) continue;
    if (i > start) runs.emplace_back(start, i);
    start = i + 1;
  }
  return runs;
}

std::string Point(double x, double y) { return Coordinate(x) + " " + Coordinate(y); }

// Path commands along the run, forwards.
std::string Along(const Axis& x, const Axis& y, const PlotSeries& series,
                  const std::vector<double>& values, std::size_t from, std::size_t to) {
  std::string path;
  for (std::size_t i = from; i < to; ++i) {
    const double px = PlaceX(x, series.x[i]);
    const double py = PlaceY(y, values[i]);
    if (i > from && series.steps) path += "H" + Coordinate(px) + "V" + Coordinate(py);
    if (i == from || !series.steps) path += (i == from ? "M" : "L") + Point(px, py);
  }
  // A lone point would have no length and so not be seen.
  return to - from == 1 ? path + "h2" : path;
}

std::string BandPath(const Axis& x, const Axis& y, const PlotSeries& series, std::size_t from,
                     std::size_t to) {
  std::string path = Along(x, y, series, series.y, from, to);
  for (std::size_t i = to; i-- > from;) {
    path += "L" + Point(PlaceX(x, series.x[i]), PlaceY(y, series.y2[i]));
  }
  return path + "Z";
}

std::string PercentOf(double part) { return Coordinate(part * 100) + "%"; }

std::string AxisLabels(const Axis& x, const Axis& y) {
  std::string out = "<div class=\"y-axis\" aria-hidden=\"true\">";
  for (const Tick& tick : y.ticks) {
    out += "<span style=\"top:" + PercentOf(1 - Place(y, tick.at)) + "\">" +
           EscapeHtml(tick.label) + "</span>";
  }
  out += "</div><div class=\"x-axis\" aria-hidden=\"true\">";
  for (const Tick& tick : x.ticks) {
    // A label at an edge would be cut in half, so it is moved inwards.
    const double place = Place(x, tick.at);
    const char* css = place < 0.06 ? " class=\"first\"" : place > 0.94 ? " class=\"last\"" : "";
    out += "<span" + std::string(css) + " style=\"left:" + PercentOf(place) + "\">" +
           EscapeHtml(tick.label) + "</span>";
  }
  return out + "</div>";
}

std::string Legend(const std::vector<PlotSeries>& series, const std::vector<PlotRule>& rules,
                   const std::vector<Span>& spans, const PlotMarks& marks) {
  std::string out;
  const auto entry = [&](const std::string& style, const std::string& label) {
    if (!label.empty()) out += "<li class=\"" + style + "\">" + EscapeHtml(label) + "</li>";
  };
  for (const PlotSeries& one : series) {
    entry((one.y2.empty() ? "key-line " : "key-band ") + one.style, one.label);
  }
  for (const PlotRule& rule : rules) entry("key-rule", rule.label);
  for (const Span& span : spans) entry("key-span " + span.style, span.label);
  out += MarkLegend(marks);
  return out.empty() ? "" : "<ul class=\"legend\">" + out + "</ul>";
}

}  // namespace

std::string Coordinate(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

double PlaceX(const Axis& axis, double value) { return Place(axis, value) * kPlotWidth; }
double PlaceY(const Axis& axis, double value) { return (1 - Place(axis, value)) * kPlotHeight; }

std::string DrawSeries(const Axis& x, const Axis& y, const PlotSeries& series) {
  std::string path;
  for (const auto& [from, to] : Runs(series)) {
    path += series.y2.empty() ? Along(x, y, series, series.y, from, to)
                              : BandPath(x, y, series, from, to);
  }
  if (path.empty()) return "";
  return "<path class=\"" + std::string(series.y2.empty() ? "line " : "band ") + series.style +
         "\" d=\"" + path + "\"/>";
}

std::string DrawRule(const Axis& x, const Axis& y, const PlotRule& rule) {
  const std::string path = rule.vertical
                               ? "M" + Point(PlaceX(x, rule.at), 0) + "V" + Coordinate(kPlotHeight)
                               : "M" + Point(0, PlaceY(y, rule.at)) + "H" + Coordinate(kPlotWidth);
  return "<path class=\"rule\" d=\"" + path + "\"/>";
}

std::string Frame(const std::string& title, const std::string& description, const Axis& x,
                  const Axis& y, const std::vector<PlotSeries>& series,
                  const std::vector<PlotRule>& rules, const std::vector<Span>& spans,
                  const std::string& picture, const PlotMarks& marks) {
  std::string grid;
  for (const Tick& tick : y.ticks) {
    grid += "M" + Point(0, PlaceY(y, tick.at)) + "H" + Coordinate(kPlotWidth);
  }
  std::string shades;
  for (const Span& span : spans) {
    const double from = PlaceX(x, span.from);
    shades += "<rect class=\"span " + span.style + "\" x=\"" + Coordinate(from) +
              "\" y=\"0\" width=\"" + Coordinate(PlaceX(x, span.to) - from) + "\" height=\"" +
              Coordinate(kPlotHeight) + "\"/>";
  }
  return "<div class=\"plot\"><svg viewBox=\"0 0 " + Coordinate(kPlotWidth) + " " +
         Coordinate(kPlotHeight) + "\" preserveAspectRatio=\"none\" role=\"img\"><title>" +
         EscapeHtml(title) + "</title><desc>" + EscapeHtml(description) + "</desc>" + shades +
         "<path class=\"grid\" d=\"" + grid + "\"/>" + picture + "</svg>" + MarkLabels(x, marks) +
         AxisLabels(x, y) + "</div>" + Legend(series, rules, spans, marks);
}

}  // namespace schedlens
