// The report as Markdown: renders on GitHub, reads as plain text.

#include "report/commands.h"
#include "report/format.h"
#include "report/sections.h"

namespace schedlens {
namespace {

// Text from outside; text between backticks stays code.
std::string Prose(std::string_view text) {
  constexpr std::size_t kProseLimit = 1000;
  return WithCode(ShortenProse(Visible(text), kProseLimit), false, EscapeMarkdown, MarkdownCode);
}

std::string TableText(const ReportTable& table) {
  if (table.rows.empty()) return "";
  std::string out = "|";
  for (const TableColumn& column : table.columns) {
    out += " " + EscapeMarkdown(column.heading) + " |";
  }
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

/// The query behind a line follows it where the line does not name it.
std::string ItemText(const Item& item) {
  const bool told = item.query.empty() || item.text.find("`" + item.query + "`") != item.text.npos;
  return Prose(item.text) +
         (told ? "" : " " + MarkdownCode(Shorten(Visible(item.query), kLongestQuery)));
}

std::string FindingsText(const Messages& t, const Diagnosis& d) {
  std::string out;
  int number = 0;
  for (const Finding& finding : d.findings) {
    out += std::to_string(++number) + ". **" + Prose(t(finding.title)) + "** (" +
           MarkdownCode(Shorten(Visible(finding.id), 120)) + t("join.comma") +
           SureText(t, finding.confidence, finding.share) + ")\n";
    const auto add = [&](const std::string& text) { out += "   - " + text + "\n"; };
    for (const Item& item : EvidenceItems(t, finding)) add(ItemText(item));
    for (const Item& step : StepItems(t, finding)) {
      add("*" + t("finding.next") + "* " + ItemText(step));
    }
  }
  return out;
}

std::string PartText(const Messages& t, const Diagnosis& d, const Part& part) {
  std::string out;
  if (!part.text.empty()) {
    out += part.blank ? "_" + part.text + "_\n" : Prose(part.text) + "\n";
  }
  for (const Item& item : part.items) out += "- " + ItemText(item) + "\n";
  if (!part.facts.empty()) out += "| | |\n| --- | --- |\n";
  for (const auto& [name, text] : part.facts) out += "| **" + name + "** | " + Prose(text) + " |\n";
  if (part.drawing == Drawing::kFindings) out += FindingsText(t, d);
  out += TableText(part.table);
  if (part.folded) {
    return "<details><summary>" + EscapeMarkdown(part.heading) + "</summary>\n\n" + out +
           "\n</details>\n";
  }
  if (part.heading.empty()) return out;
  return "### " + EscapeMarkdown(part.heading) +
         (part.tag.empty() ? "" : t("join.brackets", part.tag)) + "\n\n" + out;
}

std::string SectionsText(const Messages& t, const Diagnosis& d,
                         const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    if (!section.title.empty()) out += "\n## " + EscapeMarkdown(section.title) + "\n";
    for (const Part& part : section.parts) {
      if (!part.empty()) out += "\n" + PartText(t, d, part);
    }
  }
  return out;
}

}  // namespace

std::string RenderMarkdown(const Diagnosis& d, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  return "# " + Prose(Headline(t, d)) + "\n" +
         SectionsText(t, d, {LeadOf(t, d, ReportFormat::kMarkdown)}) +
         SectionsText(t, d, SectionsOf(t, d, ReportFormat::kMarkdown)) + "\n_schedlens " +
         Prose(d.tool_version) + "_\n";
}

std::string RenderMarkdown(const Against& against, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::string out = "# " + Prose(HeadlineOf(t, against)) + "\n";
  if (!against.notes.empty()) out += "\n";
  for (const Message& note : against.notes) out += "- " + Prose(t(note)) + "\n";
  return out + SectionsText(t, against.now, SectionsOf(t, against, ReportFormat::kMarkdown));
}

std::string RenderMarkdown(const SplitDiagnosis& split, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::string out = "# " + Prose(HeadlineOf(t, split)) + "\n\n" + TableText(SplitTable(t, split));
  for (const DiagnosedPart& part : split.parts) {
    if (!IsWorthAReport(part.diagnosis)) continue;
    out += "\n---\n\n**" + Prose(PartName(split, part)) + "**\n\n" +
           RenderMarkdown(part.diagnosis, options);
  }
  return out;
}

}  // namespace schedlens
