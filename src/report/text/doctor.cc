// The text form of `doctor`.

#include "report/doctor.h"

#include <fmt/format.h>

#include "messages/catalog.h"

namespace schedlens {
namespace {

/// The evidence on one line; JSON has all of a long one.
std::string Shortened(const std::string& evidence) {
  constexpr std::size_t kShown = 140;
  return evidence.size() > kShown ? evidence.substr(0, kShown) + "..." : evidence;
}

}  // namespace

// Consecutive checks with the same evidence show it once, below the first.
std::string DoctorText(const DoctorReport& report) {
  std::string out;
  std::string last;
  for (const CheckUp& check : report.checks) {
    out += fmt::format("{:<8} {:<10} {}\n", ToString(check.health), check.subject,
                       InEnglish(check.text));
    if (!check.fix.empty()) out += fmt::format("{:19} -> {}\n", "", InEnglish(check.fix));
    std::string evidence = InEnglish(check.evidence);
    if (!evidence.empty() && evidence != last) {
      out += fmt::format("{:19} evidence: {}\n", "", Shortened(evidence));
    }
    last = std::move(evidence);
  }
  return out + (report.diagnosable ? "\n`schedlens diagnose` will work with this source.\n"
                                   : "\n`schedlens diagnose` will not work with this source.\n");
}

}  // namespace schedlens
