// The text form of `lint`.

#include "report/lint.h"

#include <fmt/format.h>

#include "messages/catalog.h"
#include "model/text.h"
#include "report/text/paragraph.h"

namespace schedlens {
namespace {

constexpr std::size_t kWidth = 100;

std::string Place(const LintedFile& file, const LintRule& rule) {
  std::string place = file.name;
  if (rule.line > 0) place += fmt::format(":{}", rule.line);
  if (!rule.name.empty()) place += " " + rule.name;
  return place;
}

}  // namespace

std::string LintText(const std::vector<LintedFile>& files, const LintedFor& linted_for) {
  std::string out;
  std::size_t found = 0;
  std::size_t rules = 0;
  for (const LintedFile& file : files) {
    rules += file.rules.size();
    for (const LintFinding& finding : file.report.findings) {
      ++found;
      out += fmt::format("{}: {}: {}\n", Place(file, file.rules[finding.rule]),
                         ToString(finding.severity), finding.id);
      out += Paragraph(InEnglish(finding.message), kWidth, "  ", "  ");
      if (!finding.fix.empty()) {
        out += Paragraph("instead: " + InEnglish(finding.fix), kWidth, "  ", "  ");
      }
    }
  }
  out +=
      fmt::format("{}{} rule{} checked, {} finding{}; for {}, scraped every {}\n",
                  found > 0 ? "\n" : "", rules, rules == 1 ? "" : "s", found, found == 1 ? "" : "s",
                  linted_for.release.empty() ? "any release" : "release " + linted_for.release,
                  FormatDuration(linted_for.scrape_ms));
  for (const LintedFile& file : files) {
    if (!file.mended_yaml.empty()) {
      out += fmt::format("\n# {} mended\n{}", file.name, file.mended_yaml);
    }
  }
  return out;
}

}  // namespace schedlens
