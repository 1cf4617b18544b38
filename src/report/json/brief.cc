// A diagnosis in at most 8 kB: what a program, or a model, needs to decide what to do next. Fields
// have the names and the forms that they have in the whole JSON.

#include "contract/report.h"
#include "report/format.h"
#include "report/json/json.h"

namespace schedlens {
namespace {

/// How much of each list is told, and how many letters of a text.
struct BriefLimits {
  std::size_t findings, behind, steps, episodes, gaps, warnings, letters;
  std::size_t whole;  ///< bytes of what is pasted: half a command is none
};

/// Tried in turn, until it fits; the last one does whatever a diagnosis holds.
constexpr BriefLimits kBriefLimits[] = {
    {10, 3, 4, 20, 20, 10, 600, 2000}, {8, 2, 3, 12, 12, 5, 400, 1000},
    {6, 2, 2, 8, 8, 3, 300, 800},      {5, 1, 2, 5, 6, 2, 240, 600},
    {4, 1, 1, 3, 4, 1, 200, 500},      {3, 1, 1, 2, 3, 0, 160, 400},
    {2, 1, 1, 1, 2, 0, 120, 250},      {1, 1, 0, 1, 1, 0, 80, 0},
    {1, 0, 0, 0, 0, 0, 30, 0},
};

/// KEY with the first `most` of them, and KEY_more: how many are left out.
template <class All, class Make>
void BriefList(std::string_view key, const All& all, std::size_t most, const Make& make,
               Json* object) {
  const std::size_t told = std::min(all.size(), most);
  (*object)[std::string(key)] = EachOf(std::vector(all.begin(), all.begin() + told), make);
  (*object)[std::string(key) + "_more"] = all.size() - told;
}

/// Half of what is pasted would say something else: empty where it is too long.
void BriefTexts(const BriefLimits& limits, std::string_view key, Json* json) {
  if (json->is_structured()) {
    for (auto& [name, member] : json->items()) BriefTexts(limits, name, &member);
  } else if (json->is_string()) {
    auto& text = json->get_ref<std::string&>();
    const bool pasted = key == "command" || key == "query" || key == "expr";
    if (!pasted) text = Shorten(text, limits.letters);
    if (pasted && text.size() > limits.whole) text.clear();
  }
}

Json BriefSentence(const Message& message) { return InEnglish(message); }

Json BriefAction(const std::optional<Remedy>& action) {
  if (!action) return nullptr;
  return Object("now", InEnglish(action->now), "owner", InEnglish(action->owner), "command",
                InEnglish(action->command), "query", action->query);
}

Json BriefStep(const NextStep& step) {
  return Object("text", InEnglish(step.text), "command", step.command, "query", step.query,
                "answered", step.answered ? Json(InEnglish(step.answered->text)) : Json());
}

Json BriefFinding(const BriefLimits& limits, const Finding& finding) {
  const CauseBehind* leading = LeadingBehind(finding);
  Json json = Object("id", finding.id, "object", leading == nullptr ? "" : leading->object, "title",
                     InEnglish(finding.title), "confidence", finding.confidence, "share",
                     finding.share, "action", BriefAction(finding.action));
  const auto behind = [](const CauseBehind& one) {
    return Object("id", one.id, "object", one.object, "title", InEnglish(one.title), "confidence",
                  one.confidence, "share", one.share, "action", BriefAction(one.action));
  };
  BriefList("behind", finding.behind, limits.behind, behind, &json);
  std::vector<NextStep> steps = finding.next_steps;
  for (const CauseBehind& one : finding.behind) {
    steps.insert(steps.end(), one.next_steps.begin(), one.next_steps.end());
  }
  BriefList("next_steps", steps, limits.steps, BriefStep, &json);
  return json;
}

Json BriefEpisode(const Episode& episode) {
  const auto id = [](const Finding& finding) { return finding.id; };
  Json json = Object("id", FormatTime(episode.window.start), "start", episode.window.start, "end",
                     episode.window.end, "certainty", episode.certainty, "verdict", episode.verdict,
                     "headline", InEnglish(episode.headline), "pods", episode.pods, "reported",
                     episode.reported, "command", episode.command);
  BriefList("findings", episode.findings, 3, id, &json);
  return json;
}

Json BriefAlert(const std::optional<AlertVerdict>& alert) {
  if (!alert) return nullptr;
  return Object("given", alert->given, "expr", alert->expr, "metric", alert->metric, "quantile",
                alert->quantile, "threshold", alert->threshold, "shown", alert->shown, "decided",
                alert->decided, "interval", alert->interval, "fires", alert->fires.state);
}

/// What the source lacks, of the schedulers and of those behind them.
std::vector<Message> BriefGaps(const Diagnosis& d) {
  std::vector<Message> gaps = d.gaps;
  if (!d.control_plane) return gaps;
  for (const ComponentSeen* one : {&d.control_plane->apiserver, &d.control_plane->etcd,
                                   &d.control_plane->kube_state_metrics}) {
    gaps.insert(gaps.end(), one->missing.begin(), one->missing.end());
  }
  return gaps;
}

std::string BriefWithin(const BriefLimits& limits, const Diagnosis& d) {
  Json json =
      Object("schema", "schedlens.brief/1", "verdict", d.verdict, "headline", InEnglish(d.headline),
             "tool_version", d.tool_version, "made", d.made, "command", d.command, "cluster",
             d.cluster, "source", d.source.name, "release", d.release, "window", d.window,
             "window_found", d.window_found, "baseline", d.baseline, "alert", BriefAlert(d.alert));
  JsonWriter(&json).Number("attempts", d.attempts, "count", BasisKind::kExact);
  json["pods_over_threshold"] = d.impact ? Json(d.impact->pods_over_threshold) : Json();
  const auto finding = [&](const Finding& one) { return BriefFinding(limits, one); };
  BriefList("findings", d.findings, limits.findings, finding, &json);
  BriefList("episodes", d.episodes, limits.episodes, BriefEpisode, &json);
  json["cross_check"] = d.cross_check ? Json(d.cross_check->verdict) : Json();
  BriefList("gaps", BriefGaps(d), limits.gaps, BriefSentence, &json);
  BriefList("warnings", d.warnings, limits.warnings, BriefSentence, &json);
  BriefTexts(limits, "", &json);
  return TextOf(json, JsonStyle::kCompact);
}

}  // namespace

std::string RenderBrief(const Diagnosis& diagnosis) {
  std::string text;
  for (const BriefLimits& limits : kBriefLimits) {
    text = BriefWithin(limits, diagnosis);
    if (text.size() <= kLongestBrief) break;
  }
  return text;
}

}  // namespace schedlens
