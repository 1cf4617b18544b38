#include "report/text/report_table.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace schedlens {

std::string TerminalTable(const TextPage& page, const ReportTable& table, std::size_t kept) {
  if (table.rows.empty()) return "";
  constexpr int kWidest = 60;
  std::vector<Column> columns;
  int priority = 1 - static_cast<int>(kept);
  for (const TableColumn& column : table.columns) {
    columns.push_back({column.heading, column.right, std::max(0, priority++), kWidest});
  }
  std::vector<std::vector<Cell>> rows;
  for (const std::vector<TableCell>& row : table.rows) {
    std::vector<Cell>& cells = rows.emplace_back();
    for (const TableCell& cell : row) {
      const std::string indent(2 * static_cast<std::size_t>(cell.depth), ' ');
      cells.push_back({indent + (page.terminal.ascii ? Plain(cell.text) : cell.text)});
    }
  }
  return Table(page.terminal, std::move(columns), std::move(rows));
}

}  // namespace schedlens
