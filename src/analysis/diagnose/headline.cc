#include "analysis/diagnose/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace schedlens {
namespace {

std::string IncidentSentence(const Diagnosis& d) {
  const Finding& first = d.findings.front();
  std::string text = first.title;
  if (first.share && first.share->value && *first.share->value > 0.005) {
    text += fmt::format(": {:.1f} % of all e2e time", 100 * *first.share->value);
  }
  const auto more = std::count_if(d.findings.begin() + 1, d.findings.end(), [](const Finding& f) {
    return !f.id.starts_with("quantile.") && !f.id.starts_with("data.");
  });
  if (more > 0) text += fmt::format(", and {} more {}", more, more == 1 ? "cause" : "causes");
  return text + ".";
}

}  // namespace

std::string Headline(const Diagnosis& d) {
  switch (d.verdict) {
    case Verdict::kIncident:
      return d.findings.empty() ? "Attempts are slow." : IncidentSentence(d);
    case Verdict::kNoIncident:
      return fmt::format("No incident: {:.0f} attempts, none of them slower than they should be.",
                         d.attempts);
    case Verdict::kArtifact:
      return "The alert is an artifact: the quantile it shows is provably over the true one, which "
             "is below the threshold.";
    case Verdict::kUndecidable:
      return "This data cannot decide whether there is an incident, or what caused it.";
    case Verdict::kInsufficientData:
      return "There is not enough data here to say anything.";
  }
  return "";
}

}  // namespace schedlens
