// Two diagnoses side by side on a terminal.

#include "report/against.h"

#include <algorithm>

#include "report/against_tables.h"
#include "report/text/report_table.h"

namespace schedlens {
namespace {

std::string Whole(const TextPage& page, const ReportTable& table) {
  const std::string text = TerminalTable(page, table, table.columns.size());
  return text.empty() ? "" : "\n" + text;
}

/// Sentences are longer than a column: each side's facts one below the other.
std::string Sides(const TextPage& page, const ReportTable& table) {
  std::string out;
  for (std::size_t side = 1; side < table.columns.size(); ++side) {
    out += "\n" + page.Paragraph(Ink::kBold, table.columns[side].heading, 0);
    for (const std::vector<TableCell>& row : table.rows) {
      out += page.Fact(row[0].text, row[side].text);
    }
  }
  return out;
}

}  // namespace

std::string RenderText(const Against& against, const RenderOptions& options) {
  const TextPage page{Terminal{std::clamp(options.width, 40, 400), options.color, options.ascii},
                      Messages(options.lang, options.zone)};
  std::string out = page.Paragraph(Ink::kBold, AgainstHeadline(page.t, against), 0);
  for (const Message& note : against.notes) out += page.Item("- ", Ink::kPlain, page.t(note), 0);
  out += Sides(page, SidesTable(page.t, against));
  out += Whole(page, AgainstStagesTable(page.t, against));
  out += Whole(page, AgainstFindingsTable(page.t, against));
  return out;
}

}  // namespace schedlens
