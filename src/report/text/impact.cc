#include <algorithm>

#include "report/impact_tables.h"
#include "report/text/sections.h"

namespace schedlens {
namespace {

/// The same table on a terminal; where it is narrow the last columns go first.
std::string TerminalTable(const TextPage& page, const ReportTable& table) {
  std::vector<Column> columns;
  int priority = -2;  // the first three stay
  for (const TableColumn& column : table.columns) {
    columns.push_back({column.heading, column.right, std::max(0, priority++), 60});
  }
  std::vector<std::vector<Cell>> rows;
  for (const auto& row : table.rows) {
    std::vector<Cell>& cells = rows.emplace_back();
    for (const TableCell& cell : row) {
      cells.push_back({page.terminal.ascii ? Plain(cell.text) : cell.text});
    }
  }
  return Table(page.terminal, std::move(columns), std::move(rows));
}

}  // namespace

std::string ImpactText(const TextPage& page, const Diagnosis& d) {
  const ReportTable table = ImpactTable(page.t, d);
  if (table.rows.empty()) return "";
  std::string out = page.Heading(page.t("impact.heading"));
  out += TerminalTable(page, table);
  for (const std::string& sentence : ImpactSentences(page.t, d)) {
    out += page.Paragraph(Ink::kDim, sentence, 2);
  }
  return out;
}

std::string ChangesText(const TextPage& page, const Diagnosis& d) {
  const ReportTable table = ChangesTable(page.t, d);
  if (table.rows.empty()) return "";
  std::string out = page.Heading(page.t("changes.heading"));
  for (const auto& row : table.rows) {
    out += page.Item("- ", Ink::kPlain, ChangeLine(page.t, row), 2);
  }
  return out + page.Paragraph(Ink::kDim, page.t("changes.note"), 2);
}

}  // namespace schedlens
