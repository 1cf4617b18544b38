#include <re2/re2.h>

#include <array>

#include "report/format.h"
#include "report/html/html.h"

namespace schedlens {
namespace {

// "0.4 ms" and "67.4 %" stay on one line.
std::string WithUnits(std::string_view text) {
  static const RE2 kNumber("([0-9]) (µs|(?:s|ms|%)(?:[ ,;:.)]|\\z))", RE2::Latin1);
  std::string out(text);
  RE2::GlobalReplace(&out, kNumber, "\\1&nbsp;\\2");
  return out;
}

// A table of several columns is a list of its rows where the page is narrow: every cell then has
// its column's heading beside it. A long table stays one.
bool IsStacked(const ReportTable& table) {
  constexpr std::size_t kColumns = 3, kRows = 25;
  return table.columns.size() >= kColumns && table.rows.size() <= kRows;
}

std::string Cell(const ReportTable& table, const TableCell& cell, std::size_t column) {
  const bool head = column == 0;
  std::string out = head ? "<th scope=\"row\"" : "<td";
  if (table.columns[column].right) out += " class=\"num\"";
  if (!head && IsStacked(table)) {
    out += " data-h=\"" + HtmlText(table.columns[column].heading) + "\"";
  }
  if (cell.depth > 0) {
    out += " style=\"padding-left:" + std::to_string(std::min(cell.depth, 6) + 1) + "em\"";
  }
  out += ">" + (cell.numbers.empty() ? HtmlName(cell.text) : HtmlNumber(cell));
  return out + (head ? "</th>" : "</td>");
}

constexpr int kShades = 6;
/// The SVG's own coordinates: it is stretched to the available width.
constexpr double kPlotWidth = 1000;
constexpr double kPlotHeight = 240;

double Place(const Axis& axis, double value) {
  const double width = axis.high - axis.low;
  if (!(width > 0)) return 0;
  return std::clamp((value - axis.low) / width, 0.0, 1.0);
}

double PlaceX(const Axis& axis, double value) { return Place(axis, value) * kPlotWidth; }
double PlaceY(const Axis& axis, double value) { return (1 - Place(axis, value)) * kPlotHeight; }

std::string Point(double x, double y) { return Coordinate(x) + " " + Coordinate(y); }

/// Path commands along the run, forwards.
std::string Along(const Axis& x, const Axis& y, const PlotSeries& series, std::size_t from,
                  std::size_t to) {
  std::string path;
  for (std::size_t i = from; i < to; ++i) {
    path += (i == from ? "M" : "L") + Point(PlaceX(x, series.x[i]), PlaceY(y, series.y[i]));
  }
  // A lone point would have no length and so not be seen.
  if (to - from == 1) path += "h2";
  if (series.y2.empty()) return path;
  for (std::size_t i = to; i-- > from;) {
    path += "L" + Point(PlaceX(x, series.x[i]), PlaceY(y, series.y2[i]));
  }
  return path + "Z";
}

std::string Rect(const std::string& css, const Axis& x, double from, double to) {
  const double left = PlaceX(x, from);
  return HtmlRect(css, left, PlaceX(x, to) - left, 0, kPlotHeight);
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

/// HTML: the items of the legend.
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

std::string Legend(const Plot& plot) {
  std::string out;
  const auto entry = [&](const std::string& style, const std::string& label) {
    if (!label.empty()) out += "<li class=\"" + style + "\">" + EscapeHtml(label) + "</li>";
  };
  for (const PlotSeries& one : plot.series) {
    entry((one.y2.empty() ? "key-line " : "key-band ") + one.style, one.label);
  }
  for (const PlotRule& rule : plot.rules) entry("key-rule", rule.label);
  for (const Span& span : plot.spans) entry("key-span " + span.style, span.label);
  out += MarkLegend(plot.marks);
  return out.empty() ? "" : "<ul class=\"legend\">" + out + "</ul>";
}

// 1 to kShades; 0 for nothing. The square root keeps a few slow attempts visible next to many fast
// ones.
int ShadeOf(double value, double greatest) {
  if (!(value > 0) || !(greatest > 0)) return 0;
  const double part = std::sqrt(std::min(1.0, value / greatest));
  return std::clamp(static_cast<int>(std::ceil(part * kShades)), 1, kShades);
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

/// The cells, one path a shade, so that thousands of them stay small; and the scale.
std::pair<std::string, std::string> DrawCells(const Plot& plot) {
  if (plot.cells.empty()) return {};
  double greatest = 0;
  for (const auto& column : plot.cells) greatest = std::max(greatest, GreatestOf(column));
  const double rows = plot.y.high - plot.y.low;
  const double height = rows > 0 ? kPlotHeight / rows : 0;
  const double width = kPlotWidth / static_cast<double>(plot.cells.size());
  std::array<std::string, kShades + 1> paths;
  for (std::size_t i = 0; i < plot.cells.size(); ++i) {
    for (std::size_t j = 0; j < plot.cells[i].size(); ++j) {
      const int shade = ShadeOf(plot.cells[i][j], greatest);
      if (shade == 0) continue;
      paths[static_cast<std::size_t>(shade)] +=
          "M" +
          Point(static_cast<double>(i) * width, kPlotHeight - static_cast<double>(j + 1) * height) +
          "h" + Coordinate(width) + "v" + Coordinate(height) + "h-" + Coordinate(width) + "z";
    }
  }
  std::string picture;
  for (std::size_t shade = 1; shade < paths.size(); ++shade) {
    if (paths[shade].empty()) continue;
    picture +=
        "<path class=\"heat heat" + std::to_string(shade) + "\" d=\"" + paths[shade] + "\"/>";
  }
  return {picture, ShadeScale(plot.scale, paths, greatest)};
}

std::string DrawRule(const Plot& plot, const PlotRule& rule) {
  const std::string path =
      rule.vertical ? "M" + Point(PlaceX(plot.x, rule.at), 0) + "V" + Coordinate(kPlotHeight)
                    : "M" + Point(0, PlaceY(plot.y, rule.at)) + "H" + Coordinate(kPlotWidth);
  return "<path class=\"rule\" d=\"" + path + "\"/>";
}

std::string MarkStyle(const PlotMark& mark) { return mark.late ? "change late" : "change"; }

/// One line, or a band when the series has `y2`; interrupted where a value is not finite.
std::string DrawSeries(const Axis& x, const Axis& y, const PlotSeries& series) {
  std::string path;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= series.x.size(); ++i) {
    const bool gap = i == series.x.size() || !std::isfinite(series.y[i]) ||
                     !std::isfinite(series.x[i]) ||
                     (!series.y2.empty() && !std::isfinite(series.y2[i]));
    if (!gap) continue;
    if (i > start) path += Along(x, y, series, start, i);
    start = i + 1;
  }
  if (path.empty()) return "";
  return "<path class=\"" + std::string(series.y2.empty() ? "line " : "band ") + series.style +
         "\" d=\"" + path + "\"/>";
}

/// Moments on a time axis: scrapes as ticks along the bottom, changes as numbered lines from top to
/// bottom, each over a shade as wide as its time is uncertain.
std::string DrawMarks(const Axis& x, const PlotMarks& marks) {
  constexpr double kTickHeight = 7;
  std::string ticks, out;
  for (const double at : marks.scrapes) {
    ticks += "M" + Point(PlaceX(x, at), kPlotHeight) + "v-" + Coordinate(kTickHeight);
  }
  if (!ticks.empty()) out = "<path class=\"scrapes\" d=\"" + ticks + "\"/>";
  for (const PlotMark& mark : marks.changes) {
    out += Rect(MarkStyle(mark), x, mark.from, mark.to) + "<path class=\"" + MarkStyle(mark) +
           "\" d=\"M" + Point(PlaceX(x, mark.at), 0) + "V" + Coordinate(kPlotHeight) + "\"/>";
  }
  return out;
}

/// HTML: the numbers above the lines, those of close ones together as `2–4`.
std::string MarkLabels(const Axis& x, const PlotMarks& marks) {
  // Numbers closer than this would cover each other on a phone.
  constexpr double kApart = 0.05;
  if (marks.changes.empty()) return "";
  std::string out = "<div class=\"marks\" aria-hidden=\"true\">";
  std::size_t first = 0;
  for (std::size_t i = 1; i <= marks.changes.size(); ++i) {
    const PlotMark& start = marks.changes[first];
    const bool close = i < marks.changes.size() && marks.changes[i].late == start.late &&
                       Place(x, marks.changes[i].at) - Place(x, start.at) < kApart;
    if (close) continue;
    out += "<span class=\"" + std::string(start.late ? "late" : "") +
           "\" style=\"left:" + PercentOf(Place(x, start.at)) + "\">" + std::to_string(first + 1) +
           (i > first + 1 ? "–" + std::to_string(i) : "") + "</span>";
    first = i;
  }
  return out + "</div>";
}

}  // namespace

std::string HtmlText(std::string_view text, std::size_t limit) {
  return EscapeHtml(Shorten(Visible(text), limit));
}

std::string HtmlProse(std::string_view text, std::size_t limit) {
  return WithCode(EscapeHtml(ShortenProse(Visible(text), limit)), true, WithUnits,
                  [](std::string_view code) { return fmt::format("<code>{}</code>", code); });
}

std::string HtmlNumber(const TableCell& cell) {
  if (cell.numbers.empty()) return HtmlText(cell.text);
  std::string values;
  for (const double number : cell.numbers)
    values += (values.empty() ? "" : " ") + FormatNumber(number);
  return "<data value=\"" + values + "\">" + HtmlText(cell.text) + "</data>";
}

std::string HtmlName(std::string_view text) {
  static const RE2 kSeam("([_/.])([[:alpha:]])", RE2::Latin1);
  std::string out = HtmlText(text);
  RE2::GlobalReplace(&out, kSeam, "\\1<wbr>\\2");
  return out;
}

std::string HtmlTable(std::string_view caption, const ReportTable& table) {
  if (table.rows.empty()) return "";
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" +
                    HtmlText(caption) + "\"><table" +
                    (IsStacked(table) ? " class=\"stacked\"" : "") + "><caption>" +
                    HtmlText(caption) + "</caption><thead><tr>";
  for (const TableColumn& column : table.columns) {
    out += std::string("<th scope=\"col\"") + (column.right ? " class=\"num\"" : "") + ">" +
           HtmlText(column.heading) + "</th>";
  }
  out += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) out += Cell(table, row[i], i);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>";
}

std::string HtmlList(const Messages& t, const SourceInfo& source, const std::vector<Item>& items) {
  if (items.empty()) return "";
  const std::string name = HtmlText(t("page.query"));
  std::string out = "<ul>";
  for (const Item& item : items) {
    std::string prose = HtmlProse(item.text, kLongestQuery);
    if (!item.query.empty()) {
      const std::string code = "<code>" + HtmlText(item.query, kLongestQuery) + "</code>";
      if (const std::size_t found = prose.find(code); found != std::string::npos) {
        prose.replace(found, code.size(), "<i>" + name + "</i>");
      }
      const std::string url = TableUrl(source, item.query, item.at);
      const std::string link =
          "<a href=\"" + HtmlText(url, 8000) + "\" rel=\"noopener noreferrer\">" + code + "</a>";
      prose += "<details class=\"q\"><summary>" + name + "</summary>" +
               (url.empty() ? code : link) + "</details>";
    }
    out += "<li>" + prose + "</li>";
  }
  return out + "</ul>\n";
}

std::string Coordinate(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string HtmlRect(std::string_view css, double left, double width, double top, double height) {
  return fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)", css,
                     Coordinate(left), Coordinate(top), Coordinate(width), Coordinate(height));
}

std::string DrawPlot(const Plot& plot) {
  std::string grid, shades;
  for (const Tick& tick : plot.y.ticks) {
    grid += "M" + Point(0, PlaceY(plot.y, tick.at)) + "H" + Coordinate(kPlotWidth);
  }
  for (const Span& span : plot.spans) {
    shades += Rect("span " + span.style, plot.x, span.from, span.to);
  }
  const auto [cells, scale] = DrawCells(plot);
  std::string picture = DrawMarks(plot.x, plot.marks) + cells;
  for (const PlotSeries& series : plot.series) picture += DrawSeries(plot.x, plot.y, series);
  for (const PlotRule& rule : plot.rules) picture += DrawRule(plot, rule);
  return "<div class=\"plot\"><svg viewBox=\"0 0 " + Point(kPlotWidth, kPlotHeight) +
         "\" preserveAspectRatio=\"none\" role=\"img\"><title>" + EscapeHtml(plot.title) +
         "</title><desc>" + EscapeHtml(plot.description) + "</desc>" + shades +
         "<path class=\"grid\" d=\"" + grid + "\"/>" + picture + "</svg>" +
         MarkLabels(plot.x, plot.marks) + AxisLabels(plot.x, plot.y) + "</div>" + Legend(plot) +
         scale;
}

}  // namespace schedlens
