// The text form of `lint`.

#include <fmt/format.h>

#include "base/text.h"
#include "report/commands.h"
#include "report/text/layout.h"

namespace schedlens {
namespace {

constexpr int kLintWidth = 100;

std::string Place(const LintedFile& file, const LintRule& rule) {
  std::string place = file.name;
  if (rule.line > 0) place += fmt::format(":{}", rule.line);
  if (!rule.name.empty()) place += " " + rule.name;
  return place;
}

/// `1 rule`, `2 rules`.
std::string Counted(const Messages& t, const char* id, std::size_t n) {
  return t(Message(id, {{"n", arg::Count(n)}}));
}

}  // namespace

std::string LintText(const Messages& t, const std::vector<LintedFile>& files,
                     const LintedFor& linted_for) {
  std::string out;
  std::size_t found = 0;
  std::size_t rules = 0;
  for (const LintedFile& file : files) {
    rules += file.rules.size();
    found += file.report.findings.size() + file.report.left_out;
    for (const LintFinding& finding : file.report.findings) {
      // In the words and marks that editors know, in every language.
      out += fmt::format("{}: {}: {}\n", Place(file, PlaceOf(finding, file.rules)),
                         ToString(finding.severity), finding.id);
      out += Paragraph(t(finding.message), kLintWidth, "  ", "  ");
      if (!finding.fix.empty()) {
        out += Paragraph(t("lint.instead", t(finding.fix)), kLintWidth, "  ", "  ");
      }
    }
    if (const std::size_t n = file.report.left_out; n > 0) {
      out += t("lint.left_out", file.name, Counted(t, "lint.findings", n)) + "\n";
    }
  }
  const std::string release =
      linted_for.release.empty() ? t("lint.any_release") : t("lint.release", linted_for.release);
  out += (found > 0 ? "\n" : "") +
         t("lint.checked", Counted(t, "lint.rules", rules), Counted(t, "lint.findings", found),
           release, FormatDuration(linted_for.scrape_ms)) +
         "\n";
  for (const LintedFile& file : files) {
    if (!file.mended) continue;
    out += "\n# " + t("lint.mended", file.name) + "\n";
    out += file.diff.empty() ? file.mended_yaml : file.diff;
  }
  return out;
}

}  // namespace schedlens
