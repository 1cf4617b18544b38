// The text form of `doctor`.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/commands.h"
#include "report/escape.h"
#include "report/messages/wording.h"
#include "report/text/layout.h"

namespace schedlens {
namespace {

/// The evidence on one line; JSON has all of a long one.
std::string Shortened(const std::string& evidence) {
  constexpr std::size_t kShown = 140;
  if (evidence.size() <= kShown) return evidence;
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(evidence[end]) & 0xC0) == 0x80) --end;
  return evidence.substr(0, end) + "...";
}

/// The widest of the subjects, at least what most of them need.
int SubjectWidth(const DoctorReport& report) {
  int width = 10;
  for (const CheckUp& check : report.checks) width = std::max(width, DisplayWidth(check.subject));
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

// Consecutive checks with the same evidence show it once, below the first. Of checks that are alike
// the first ones are listed.
std::string DoctorText(const Messages& t, const DoctorReport& report) {
  constexpr int kHealth = 8;
  std::string out;
  std::string last;
  const int width = SubjectWidth(report);
  const std::string indent(static_cast<std::size_t>(kHealth + 1 + width), ' ');
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> counts, listed;
  for (const CheckUp& check : report.checks) ++counts[{check.subject, check.text.id}];
  for (const CheckUp& check : report.checks) {
    const std::pair<std::string_view, std::string_view> kind(check.subject, check.text.id);
    const std::size_t n = ++listed[kind];
    if (n == kMostListed + 1) out += indent + " " + RestSentence(t, counts[kind]) + "\n";
    if (n > kMostListed) continue;
    out += Padded(t.Of(check.health,
                       {"doctor.health.ok", "doctor.health.note", "doctor.health.problem"}),
                  kHealth) +
           " " + Padded(check.subject, width) + " " + t(check.text) + "\n";
    if (!check.fix.empty()) out += indent + " -> " + t(check.fix) + "\n";
    std::string evidence = t(check.evidence);
    if (!evidence.empty() && evidence != last) {
      out += indent + " " + t("doctor.evidence", Shortened(evidence)) + "\n";
    }
    last = std::move(evidence);
  }
  out += "\n" + t(report.diagnosable ? "doctor.diagnosable" : "doctor.not_diagnosable") + "\n";
  return out + Configurations(report);
}

}  // namespace schedlens
