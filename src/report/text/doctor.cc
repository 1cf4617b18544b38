// The text form of `doctor`.

#include "report/doctor.h"

#include <fmt/format.h>

#include <algorithm>

#include "messages/catalog.h"

namespace schedlens {
namespace {

/// The evidence on one line; JSON has all of a long one.
std::string Shortened(const std::string& evidence) {
  constexpr std::size_t kShown = 140;
  return evidence.size() > kShown ? evidence.substr(0, kShown) + "..." : evidence;
}

/// The widest of the subjects, at least what most of them need.
std::size_t SubjectWidth(const DoctorReport& report) {
  std::size_t width = 10;
  for (const CheckUp& check : report.checks) width = std::max(width, check.subject.size());
  return width;
}

/// What to paste, tool by tool: a comment, then YAML as it is.
std::string Configurations(const DoctorReport& report) {
  std::string out;
  for (const ScrapeConfiguration& one : report.configurations) {
    out += fmt::format("\n# {}: {}\n{}", one.tool, fmt::join(one.components, ", "), one.yaml);
  }
  return out;
}

}  // namespace

// Consecutive checks with the same evidence show it once, below the first.
std::string DoctorText(const DoctorReport& report) {
  std::string out;
  std::string last;
  const std::size_t width = SubjectWidth(report);
  const std::string indent(9 + width, ' ');
  for (const CheckUp& check : report.checks) {
    out += fmt::format("{:<8} {:<{}} {}\n", ToString(check.health), check.subject, width,
                       InEnglish(check.text));
    if (!check.fix.empty()) out += fmt::format("{} -> {}\n", indent, InEnglish(check.fix));
    std::string evidence = InEnglish(check.evidence);
    if (!evidence.empty() && evidence != last) {
      out += fmt::format("{} evidence: {}\n", indent, Shortened(evidence));
    }
    last = std::move(evidence);
  }
  out += report.diagnosable ? "\n`schedlens diagnose` will work with this source.\n"
                            : "\n`schedlens diagnose` will not work with this source.\n";
  return out + Configurations(report);
}

}  // namespace schedlens
