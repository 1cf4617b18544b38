#include "analysis/diagnose/headline.h"

#include <algorithm>
#include <optional>

#include "contract/diagnosis.h"
#include "contract/lint.h"

namespace schedlens {
namespace {

/// A cause, not a remark about the number or the data.
bool IsCause(const Finding& finding) {
  return !finding.id.starts_with("quantile.") && !finding.id.starts_with("data.");
}

/// "Proven", "Likely", "Possibly".
Message ConfidenceOf(Confidence confidence) {
  switch (confidence) {
    case Confidence::kCertain:
      return Message("headline.certain");
    case Confidence::kLikely:
      return Message("headline.likely");
    case Confidence::kPossible:
      return Message("headline.possible");
  }
  return {};
}

/// What is behind the leading cause, as a cause; nothing where it is no more than possible. Who
/// creates the pods does not tell what they wait for.
std::optional<Finding> CauseBehindOf(const Finding& cause) {
  if (cause.behind.empty() || cause.behind[0].confidence == Confidence::kPossible) {
    return std::nullopt;
  }
  if (cause.behind[0].id == "load.workload") return std::nullopt;
  const CauseBehind& behind = cause.behind[0];
  Finding finding;
  finding.id = behind.id;
  finding.title = behind.title;
  finding.confidence = behind.confidence;
  finding.share = behind.share;
  finding.evidence = behind.evidence;
  return finding;
}

Value ArgumentOf(const Message& message, std::string_view name) {
  for (const Argument& argument : message.args) {
    if (argument.name == name) return argument.value;
  }
  return {};
}

/// What the cause is a part of, and how large: of the binding call with what a binding spent there
/// before and now, of what grew, or of all time.
void AddShare(const Finding& cause, Message* text) {
  const bool part = !cause.evidence.empty() && cause.evidence[0].text.id == "evidence.behind.part";
  if (part) {
    const Message& seen = cause.evidence[0].text;
    text->id = "headline.call";
    text->args.push_back({"share", ArgumentOf(seen, "call")});
    text->args.push_back({"before", ArgumentOf(seen, "before")});
    text->args.push_back({"now", ArgumentOf(seen, "now")});
  } else if (cause.share && cause.share->value && *cause.share->value > 0.005) {
    text->id = IsOfTheGrowth(*cause.share) ? "headline.growth" : "headline.share";
    text->args.push_back({"share", arg::Share(*cause.share->value)});
  }
}

/// The leading cause; where it is not proven also the next one, and what would tell the two apart.
Message IncidentSentence(const std::vector<const Finding*>& causes) {
  const Finding first = CauseBehindOf(*causes.front()).value_or(*causes.front());
  Message text("headline.title",
               {{"confidence", ConfidenceOf(first.confidence)}, {"title", first.title}});
  AddShare(first, &text);
  const std::size_t more = causes.size() - 1;
  const bool unsure = first.confidence != Confidence::kCertain && more > 0;
  if (more > (unsure ? 1 : 0)) {
    text.id += ".more";
    text.args.push_back({"more", arg::Count(more)});
  }
  if (!unsure) return text;
  return Message("headline.runner_up", {{"headline", std::move(text)},
                                        {"other", causes[1]->title},
                                        {"settled", SettledBy(first.id)}});
}

/// No incident, and why what there is is none.
Message QuietSentence(const Diagnosis& d, const std::vector<const Finding*>& causes) {
  const Argument attempts{"attempts", arg::Count(d.attempts)};
  if (!causes.empty()) {
    return Message("headline.changed", {attempts, {"title", causes.front()->title}});
  }
  for (const Finding& finding : d.findings) {
    if (finding.id != "quantile.brief" || finding.evidence.empty()) continue;
    const Message& seen = finding.evidence.front().text;
    return Message("headline.brief", {{"attempts", ArgumentOf(seen, "attempts")},
                                      {"length", ArgumentOf(seen, "length")},
                                      {"start", ArgumentOf(seen, "start")}});
  }
  if (d.attempts_needed) {
    return Message("headline.few", {attempts, {"needed", arg::Count(*d.attempts_needed)}});
  }
  return Message("headline.healthy", {attempts});
}

}  // namespace

Message Headline(const Diagnosis& d) {
  std::vector<const Finding*> causes;
  for (const Finding& finding : d.findings) {
    if (IsCause(finding)) causes.push_back(&finding);
  }
  switch (d.verdict) {
    case Verdict::kIncident:
      if (!causes.empty()) return IncidentSentence(causes);
      return Message(d.alert && d.alert->decided == Decided::kAbove ? "headline.unexplained"
                                                                    : "headline.slow");
    case Verdict::kNoIncident:
      return QuietSentence(d, causes);
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
