// Heatmaps: one path a shade, so that thousands of cells stay small.

#include <algorithm>
#include <array>
#include <cmath>

#include "report/escape.h"
#include "report/format.h"
#include "report/html/svg_frame.h"
#include "report/plot.h"

namespace schedlens {

namespace {

constexpr int kShades = 6;

// 1 to kShades; 0 for nothing. The square root keeps a few slow attempts visible next to many fast
// ones.
int ShadeOf(double value, double greatest) {
  if (!(value > 0) || !(greatest > 0)) return 0;
  const double part = std::sqrt(std::min(1.0, value / greatest));
  return std::clamp(static_cast<int>(std::ceil(part * kShades)), 1, kShades);
}

double Greatest(const std::vector<std::vector<double>>& cells) {
  double greatest = 0;
  for (const auto& column : cells) {
    for (const double value : column) {
      if (std::isfinite(value)) greatest = std::max(greatest, value);
    }
  }
  return greatest;
}

/// What each shade that is drawn stands for.
std::string ShadeScale(const std::string& heading,
                       const std::array<std::string, kShades + 1>& paths, double greatest) {
  std::string out;
  for (int shade = 1; shade <= kShades; ++shade) {
    if (paths[static_cast<std::size_t>(shade)].empty()) continue;
    const double part = static_cast<double>(shade) / kShades;
    const double most = part * part * greatest;
    out += "<li class=\"key-heat heat" + std::to_string(shade) + "\">≤ " +
           EscapeHtml(Count(most < 10 ? most : std::ceil(most))) + "</li>";
  }
  if (out.empty()) return "";
  return "<ul class=\"legend scale\"><li class=\"name\">" + EscapeHtml(heading) + "</li>" + out +
         "</ul>";
}

}  // namespace

std::string DrawHeatmap(const HeatmapPlot& plot) {
  const double greatest = Greatest(plot.cells);
  const double rows = plot.y.high - plot.y.low;
  const double row_height = rows > 0 ? kPlotHeight / rows : 0;
  const double column_width =
      plot.cells.empty() ? 0 : kPlotWidth / static_cast<double>(plot.cells.size());
  std::array<std::string, kShades + 1> paths;
  for (std::size_t i = 0; i < plot.cells.size(); ++i) {
    for (std::size_t j = 0; j < plot.cells[i].size(); ++j) {
      const int shade = ShadeOf(plot.cells[i][j], greatest);
      if (shade == 0) continue;
      const double top = kPlotHeight - static_cast<double>(j + 1) * row_height;
      paths[static_cast<std::size_t>(shade)] +=
          "M" + Coordinate(static_cast<double>(i) * column_width) + " " + Coordinate(top) + "h" +
          Coordinate(column_width) + "v" + Coordinate(row_height) + "h-" +
          Coordinate(column_width) + "z";
    }
  }
  std::string picture;
  for (std::size_t shade = 1; shade < paths.size(); ++shade) {
    if (paths[shade].empty()) continue;
    picture +=
        "<path class=\"heat heat" + std::to_string(shade) + "\" d=\"" + paths[shade] + "\"/>";
  }
  for (const PlotSeries& series : plot.series) picture += DrawSeries(plot.x, plot.y, series);
  for (const PlotRule& rule : plot.rules) picture += DrawRule(plot.x, plot.y, rule);
  return Frame(plot.title, plot.description, plot.x, plot.y, plot.series, plot.rules, {}, picture) +
         ShadeScale(plot.scale, paths, greatest);
}

}  // namespace schedlens
