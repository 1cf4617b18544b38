#include "analysis/diagnose/headline.h"

#include <algorithm>

namespace schedlens {
namespace {

Message IncidentSentence(const Diagnosis& d) {
  const Finding& first = d.findings.front();
  Message text("headline.title", {{"title", first.title}});
  if (first.share && first.share->value && *first.share->value > 0.005) {
    text.id = "headline.share";
    text.args.push_back({"share", arg::Share(*first.share->value)});
  }
  const auto more = std::count_if(d.findings.begin() + 1, d.findings.end(), [](const Finding& f) {
    return !f.id.starts_with("quantile.") && !f.id.starts_with("data.");
  });
  if (more > 0) {
    text.id += ".more";
    text.args.push_back({"more", arg::Count(static_cast<double>(more))});
  }
  return text;
}

}  // namespace

Message Headline(const Diagnosis& d) {
  switch (d.verdict) {
    case Verdict::kIncident:
      return d.findings.empty() ? Message("headline.slow") : IncidentSentence(d);
    case Verdict::kNoIncident:
      return Message("headline.healthy", {{"attempts", arg::Count(d.attempts)}});
    case Verdict::kArtifact:
      return Message("headline.artifact");
    case Verdict::kUndecidable:
      return Message("headline.undecidable");
    case Verdict::kInsufficientData:
      return Message("headline.insufficient");
  }
  return {};
}

}  // namespace schedlens
