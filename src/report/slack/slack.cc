// The report as a Slack message: mrkdwn of at most 2,500 characters. What matters most comes first;
// what does not fit is left out whole, and the message says so.

#include "contract/report.h"
#include "report/canonical.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/messages/messages.h"
#include "report/messages/wording.h"

namespace schedlens {

namespace {

// Counted in bytes, which are never fewer than the characters.
constexpr std::size_t kLimit = 2500;
constexpr std::string_view kCut = "_More in the full report._\n";

std::string Prose(std::string_view text, std::size_t limit) {
  return EscapeSlack(Shorten(Visible(text), limit));
}

std::string_view Emoji(const Diagnosis& d) {
  if (IsBelowItsAlert(d)) return ":large_yellow_circle:";
  switch (d.verdict) {
    case Verdict::kIncident:
      return ":red_circle:";
    case Verdict::kNoIncident:
      return ":large_green_circle:";
    default:
      return ":large_yellow_circle:";
  }
}

std::string AlertLine(const Messages& t, const AlertVerdict& alert) {
  std::string line = Prose(AlertSubject(t, alert), 160);
  line += " " + ShownSentence(t, alert);
  const std::string decided = DecidedSentence(t, alert);
  return line + (decided.empty() ? "" : t("join.semicolon") + decided) + "\n";
}

// Lines in order of weight: each is kept whole or left out.
std::vector<std::string> Parts(const Messages& t, const Diagnosis& d) {
  std::vector<std::string> parts = {std::string(Emoji(d)) + " *" + Prose(Headline(t, d), 300) +
                                    "*\n"};
  if (!d.units.empty()) parts.push_back(Prose(UnitSentence(t, d), 300) + "\n");
  const std::string partial = PartialSentence(t, d);
  if (!partial.empty()) parts.push_back(t("report.partial") + ": " + Prose(partial, 600) + "\n");
  if (d.alert) parts.push_back(AlertLine(t, *d.alert));
  parts.push_back(t("facts.window") + ": " + RangeText(d.window, t("range.to")) + "\n");
  int number = 0;
  for (const Finding& finding : d.findings) {
    std::string part = "\n" + std::to_string(++number) + ". *" + Prose(t(finding.title), 200) +
                       "* (`" + Prose(finding.id, 60) + "`, " +
                       ConfidenceWord(t, finding.confidence);
    if (finding.share) part += ", " + ShareSentence(t, finding.share, ShareText(*finding.share));
    parts.push_back(part + ")\n");
    if (number > 3) continue;
    for (const Evidence& evidence : finding.evidence) {
      parts.push_back("• " + Prose(t(evidence.text), 300) + "\n");
    }
    if (const std::string then = ConsequencesSentence(t, finding); !then.empty()) {
      parts.push_back("• " + Prose(then, 300) + "\n");
    }
    for (const std::string& step : StepSentences(t, finding.next_steps)) {
      parts.push_back("→ " + Prose(step, 700) + "\n");
    }
  }
  for (const std::string& gap : t(d.gaps)) {
    parts.push_back(t("report.missing") + ": " + Prose(gap, 300) + "\n");
  }
  parts.push_back("\n" + Prose(SourceSentence(t, d), 300) + "\n");
  return parts;
}

}  // namespace

std::string RenderSlack(const Diagnosis& diagnosis) {
  const Diagnosis d = Canonical(diagnosis);
  std::string out;
  bool cut = false;
  for (const std::string& part : Parts(Messages("en"), d)) {
    if (cut || out.size() + part.size() + kCut.size() > kLimit) {
      cut = true;
    } else {
      out += part;
    }
  }
  return cut ? out + std::string(kCut) : out;
}

}  // namespace schedlens
