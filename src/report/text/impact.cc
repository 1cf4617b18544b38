#include "report/impact_tables.h"
#include "report/text/report_table.h"
#include "report/text/sections.h"

namespace schedlens {

std::string ImpactText(const TextPage& page, const Diagnosis& d) {
  const ReportTable table = ImpactTable(page.t, d);
  const std::vector<std::string> sentences = ImpactSentences(page.t, d);
  if (table.rows.empty() && sentences.empty()) return "";
  std::string out = page.Heading(page.t("impact.heading"));
  out += TerminalTable(page, table, 3);
  for (const std::string& sentence : sentences) {
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
