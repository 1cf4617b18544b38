#include "report/html/parts.h"

#include <algorithm>
#include <cctype>

#include "model/text.h"
#include "report/escape.h"
#include "report/format.h"

namespace schedlens {

namespace {

// Where the Prometheus UI answers this query; empty for any other source. Only http
// and https become links: a name like `javascript:...` must stay text.
std::string GraphUrl(const SourceInfo& source, std::string_view promql, TimeMs at) {
  const std::string& base = source.name;
  if (base.rfind("http://", 0) != 0 && base.rfind("https://", 0) != 0) return "";
  if (promql.empty()) return "";
  const std::string time = EscapeUrl(DateAndTime(at));
  const std::string slash = base.back() == '/' ? "" : "/";
  return base + slash + "graph?g0.expr=" + EscapeUrl(promql) + "&g0.tab=1&g0.moment_input=" + time +
         "&g0.end_input=" + time;
}

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
  const std::string safe = HtmlText(text, limit);
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

namespace {

// A name may be broken after these: `scheduler_e2e_...`, `algorithm.filter/NodeAffinity`.
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

}  // namespace

std::string HtmlTable(std::string_view caption, const ReportTable& table) {
  if (table.rows.empty()) return "";
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" +
                    HtmlText(caption) + "\"><table><caption>" + HtmlText(caption) +
                    "</caption><thead><tr>";
  const auto css = [&](std::size_t i) {
    return i < table.columns.size() && table.columns[i].right ? " class=\"num\"" : "";
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out += std::string("<th scope=\"col\"") + css(i) + ">" + HtmlText(table.columns[i].heading) +
           "</th>";
  }
  out += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string indent =
          row[i].depth > 0
              ? " style=\"padding-left:" + std::to_string(std::min(row[i].depth, 6) + 1) + "em\""
              : "";
      const char* tag = i == 0 ? "th" : "td";
      out += std::string("<") + tag + (i == 0 ? " scope=\"row\"" : "") + css(i) + indent + ">" +
             (row[i].numbers.empty() ? HtmlName(row[i].text) : HtmlNumber(row[i])) + "</" + tag +
             ">";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>";
}

std::string HtmlDetails(std::string_view summary, std::string_view html) {
  if (html.empty()) return "";
  return "<details><summary>" + HtmlText(summary) + "</summary>" + std::string(html) +
         "</details>\n";
}

std::string HtmlSection(std::string_view id, std::string_view title, std::string_view html) {
  if (html.empty()) return "";
  const std::string name(id);
  return "<section id=\"" + name + "\" aria-labelledby=\"" + name + "-h\"><h2 id=\"" + name +
         "-h\">" + HtmlText(title) + "</h2>\n" + std::string(html) + "</section>\n";
}

std::string HtmlParagraph(std::string_view css, std::string_view html) {
  if (html.empty()) return "";
  return "<p class=\"" + std::string(css) + "\">" + std::string(html) + "</p>\n";
}

std::string HtmlList(const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string out = "<ul>";
  for (const std::string& item : items) out += "<li>" + HtmlProse(item) + "</li>";
  return out + "</ul>\n";
}

std::string HtmlQuery(const SourceInfo& source, std::string_view promql, TimeMs at) {
  const std::string code = "<code>" + HtmlText(promql, 4000) + "</code>";
  const std::string url = GraphUrl(source, promql, at);
  if (url.empty()) return code;
  return "<a href=\"" + HtmlText(url, 8000) + "\" rel=\"noopener noreferrer\">" + code + "</a>";
}

}  // namespace schedlens
