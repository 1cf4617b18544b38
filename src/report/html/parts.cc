#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/html/html.h"

namespace schedlens {

namespace {

constexpr std::size_t kWholeStep = 4000;

bool BeginsWithUnit(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" ,;:.)"));
  return word == "s" || word == "ms" || word == "%" || word.starts_with("µs");
}

// "0.4 ms" and "67.4 %" stay on one line.
std::string WithUnits(const std::string& text) {
  constexpr std::string_view kNoBreak = "&nbsp;";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool after_digit = i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
    if (text[i] == ' ' && after_digit && BeginsWithUnit(std::string_view(text).substr(i + 1))) {
      out += kNoBreak;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string HtmlText(std::string_view text, std::size_t limit) {
  return EscapeHtml(Shorten(Visible(text), limit));
}

std::string HtmlProse(std::string_view text, std::size_t limit) {
  const std::string safe = EscapeHtml(ShortenProse(Visible(text), limit));
  std::string out;
  for (std::size_t at = 0; at < safe.size();) {
    const std::size_t open = safe.find('`', at);
    const std::size_t close = open == std::string::npos ? open : safe.find('`', open + 1);
    if (close == std::string::npos) return out + WithUnits(safe.substr(at));
    out += WithUnits(safe.substr(at, open - at)) + "<code>" +
           safe.substr(open + 1, close - open - 1) + "</code>";
    at = close + 1;
  }
  return out;
}

std::string HtmlNumber(const TableCell& cell) {
  if (cell.numbers.empty()) return HtmlText(cell.text);
  std::string values;
  for (const double number : cell.numbers)
    values += (values.empty() ? "" : " ") + FormatNumber(number);
  return "<data value=\"" + values + "\">" + HtmlText(cell.text) + "</data>";
}

std::string HtmlName(std::string_view text) {
  const std::string safe = HtmlText(text);
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    out += safe[i];
    const bool seam = safe[i] == '_' || safe[i] == '/' || safe[i] == '.';
    const bool more = i + 1 < safe.size() && std::isalpha(static_cast<unsigned char>(safe[i + 1]));
    if (seam && more) out += "<wbr>";
  }
  return out;
}

namespace {

// A table of several columns is a list of its rows where the page is narrow: every cell then has
// its column's heading beside it. A long table stays one.
bool IsStacked(const ReportTable& table) {
  constexpr std::size_t kColumns = 3, kRows = 25;
  return table.columns.size() >= kColumns && table.rows.size() <= kRows;
}

std::string Cell(const ReportTable& table, const TableCell& cell, std::size_t column) {
  const bool head = column == 0;
  std::string out = head ? "<th scope=\"row\"" : "<td";
  if (column < table.columns.size()) {
    if (table.columns[column].right) out += " class=\"num\"";
    if (!head && IsStacked(table)) {
      out += " data-h=\"" + HtmlText(table.columns[column].heading) + "\"";
    }
  }
  if (cell.depth > 0) {
    out += " style=\"padding-left:" + std::to_string(std::min(cell.depth, 6) + 1) + "em\"";
  }
  out += ">" + (cell.numbers.empty() ? HtmlName(cell.text) : HtmlNumber(cell));
  return out + (head ? "</th>" : "</td>");
}

}  // namespace

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

std::string HtmlBar(std::string_view title, std::string_view shapes) {
  return "<div class=\"bar\"><svg viewBox=\"0 0 1000 20\" preserveAspectRatio=\"none\" "
         "role=\"img\"><title>" +
         HtmlText(title, 200) + "</title><rect class=\"track\" width=\"1000\" height=\"20\"/>" +
         std::string(shapes) + "</svg></div>";
}

std::string HtmlParagraph(std::string_view css, std::string_view html) {
  if (html.empty()) return "";
  return "<p class=\"" + std::string(css) + "\">" + std::string(html) + "</p>\n";
}

std::string HtmlSection(std::string_view id, std::string_view title, std::string_view html) {
  if (html.empty()) return "";
  const std::string name(id);
  return "<section id=\"" + name + "\" aria-labelledby=\"" + name + "-h\"><h2 id=\"" + name +
         "-h\">" + HtmlText(title) + "</h2>\n" + std::string(html) + "</section>\n";
}

std::string HtmlList(const Messages& t, const SourceInfo& source, const std::vector<Item>& items) {
  if (items.empty()) return "";
  std::string out = "<ul>";
  for (const Item& item : items) {
    out +=
        "<li>" + HtmlWithQuery(item.text, t("page.query"), source, item.query, item.at) + "</li>";
  }
  return out + "</ul>\n";
}

std::string HtmlQuery(const SourceInfo& source, std::string_view promql, TimeMs at) {
  const std::string code = "<code>" + HtmlText(promql, kLongestQuery) + "</code>";
  const std::string url = TableUrl(source, promql, at);
  if (url.empty()) return code;
  return "<a href=\"" + HtmlText(url, 8000) + "\" rel=\"noopener noreferrer\">" + code + "</a>";
}

std::string HtmlWithQuery(std::string_view sentence, std::string_view name,
                          const SourceInfo& source, std::string_view promql, TimeMs at) {
  std::string prose = HtmlProse(sentence, kWholeStep);
  if (promql.empty()) return prose;
  const std::string code = "<code>" + HtmlText(promql, kWholeStep) + "</code>";
  if (const std::size_t found = prose.find(code); found != std::string::npos) {
    prose.replace(found, code.size(), "<i>" + HtmlText(name) + "</i>");
  }
  return prose + "<details class=\"q\"><summary>" + HtmlText(name) + "</summary>" +
         HtmlQuery(source, promql, at) + "</details>";
}

std::string HtmlPage(const Messages& t, std::string_view headline, std::string_view badge_html,
                     std::string_view header_html, std::string_view main_html, std::string css) {
  const std::string wide = css.empty() ? "" : " class=\"" + css + "\"";
  const std::string zone = t.zone().name.empty() ? "UTC" : t.zone().name;
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
      "form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>{}</title>\n<style>{}"
      "</style>\n</head>\n<body>\n<header class=\"top{}\"><p class=\"brand\">"
      "<b>schedlens</b> {}</p>\n{}<h1>{}</h1>\n{}</header>\n<main{}>\n{}</main>\n"
      "<footer{}>{}</footer>\n</body>\n</html>\n",
      t.tag(), HtmlText(headline, 150), HtmlStyle(), css.empty() ? "" : " " + css,
      HtmlText(t("report.kube_scheduler_latency_report")), badge_html, HtmlProse(headline, 400),
      header_html, wide, main_html, wide, HtmlText(t("page.numbers", zone)));
}

}  // namespace schedlens
