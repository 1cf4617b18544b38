// Two diagnoses side by side in Markdown.

#include "report/against.h"

#include "report/against_tables.h"
#include "report/escape.h"
#include "report/markdown/table.h"

namespace schedlens {
namespace {

std::string Below(const ReportTable& table) {
  return table.rows.empty() ? "" : "\n" + MarkdownTable(table);
}

}  // namespace

std::string RenderMarkdown(const Against& against, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::string out = "# " + EscapeMarkdown(AgainstHeadline(t, against)) + "\n";
  if (!against.notes.empty()) out += "\n";
  for (const Message& note : against.notes) out += "- " + EscapeMarkdown(t(note)) + "\n";
  return out + Below(SidesTable(t, against)) + Below(AgainstStagesTable(t, against)) +
         Below(AgainstFindingsTable(t, against));
}

}  // namespace schedlens
