#include "report/markdown/table.h"

#include "report/escape.h"

namespace schedlens {

std::string MarkdownTable(const ReportTable& table) {
  std::string out = "|";
  for (const TableColumn& column : table.columns)
    out += " " + EscapeMarkdown(column.heading) + " |";
  out += "\n|";
  for (const TableColumn& column : table.columns) out += column.right ? " ---: |" : " --- |";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (const TableCell& cell : row) {
      std::string indent;
      for (int i = 0; i < cell.depth && i < 8; ++i) indent += "&nbsp;&nbsp;";
      out += " " + indent + EscapeMarkdown(cell.text) + " |";
    }
    out += "\n";
  }
  return out;
}

}  // namespace schedlens
