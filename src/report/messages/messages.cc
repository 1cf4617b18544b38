#include "report/messages/messages.h"

#include "report/format.h"

namespace schedlens {
namespace {

/// What follows other text, apart by the separator's text.
std::string Joined(const Messages& t, std::string_view separator, const std::string& first,
                   const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + t(separator) + second;
}

/// Three digits of what may be a fraction or a count.
std::string ThreeDigits(double value) {
  return std::abs(value) >= 1000 ? Count(value) : fmt::format("{:.3g}", value);
}

/// Of an alert that is no quantile: whether it fires, and since when.
std::string FiresSentence(const Messages& t, const AlertVerdict& alert) {
  const std::vector<TimeMs>& times = alert.fires.times;
  if (alert.fires.state == FiresState::kNo) return t("fires.no");
  if (alert.fires.state == FiresState::kUnclear || times.empty()) return t("fires.unknown");
  return t("fires.yes", TimeOfDay(times.front(), t.zone()), TimeOfDay(times.back(), t.zone()),
           ZoneText(t.zone(), times.back()));
}

bool ControlPlaneIsShown(const Diagnosis& d) {
  if (!d.control_plane) return false;
  const ControlPlaneSeen& n = *d.control_plane;
  return n.apiserver.seen + n.etcd.seen + n.kube_state_metrics.seen > 0 ||
         std::ranges::any_of(d.findings, [](const Finding& finding) {
           return finding.id == "bind.apiserver" || finding.id == "attempts.error";
         });
}

std::string SeenText(const Messages& t, const ComponentSeen& one) {
  if (one.seen < 1) return t("neighbours.none");
  const std::optional<double>& all = one.instances.value;
  if (!all || *all <= one.seen) return Count(one.seen);
  return t("neighbours.seen_of", Count(one.seen), Count(*all));
}

/// Of what is behind the finding, then its own.
void EachStep(const Finding& finding, const std::function<void(const NextStep&)>& visit) {
  for (const CauseBehind& one : finding.behind) std::ranges::for_each(one.next_steps, visit);
  std::ranges::for_each(finding.next_steps, visit);
}

std::string SemanticsText(const Semantics& semantics) {
  if (semantics.IsVictoriaMetrics()) return "VictoriaMetrics";
  return fmt::format("Prometheus {}.{}{}", semantics.major, semantics.minor,
                     semantics.fma ? " (arm64)" : "");
}

}  // namespace

bool IsBelowItsAlert(const Diagnosis& diagnosis) {
  return diagnosis.verdict == Verdict::kIncident && diagnosis.alert && diagnosis.alert->given &&
         diagnosis.alert->decided == Decided::kBelow;
}

std::string VerdictWord(const Messages& t, const Diagnosis& diagnosis) {
  return IsBelowItsAlert(diagnosis) ? t("verdict.not_above") : VerdictWord(t, diagnosis.verdict);
}

std::string VerdictWord(const Messages& t, Verdict verdict) {
  return t.Of(verdict, {"verdict.incident", "verdict.no_incident", "verdict.artifact",
                        "verdict.undecidable", "verdict.insufficient"});
}

Ink VerdictInk(Verdict verdict) {
  if (verdict == Verdict::kIncident) return Ink::kBad;
  return verdict == Verdict::kNoIncident ? Ink::kGood : Ink::kUnsure;
}

Ink VerdictInk(const Diagnosis& diagnosis) {
  return IsBelowItsAlert(diagnosis) ? Ink::kUnsure : VerdictInk(diagnosis.verdict);
}

std::string Headline(const Messages& t, const Diagnosis& diagnosis) {
  if (!diagnosis.headline.empty()) return t(diagnosis.headline);
  return t("report.headline.verdict", VerdictWord(t, diagnosis));
}

std::string ConfidenceWord(const Messages& t, Confidence confidence) {
  return t.Of(confidence, {"confidence.certain", "confidence.likely", "confidence.possible"});
}

std::string PartialSentence(const Messages& t, const Diagnosis& diagnosis) {
  std::string text;
  for (const Message& warning : diagnosis.warnings) {
    if (!IsPartialAnswer(warning)) continue;
    text = Joined(t, "join.semicolon", text, Shorten(Visible(t(warning)), 200));
  }
  return text.empty() ? "" : t("report.partial.text", Shorten(text, 600));
}

std::string ShownAlone(const Messages& t, const AlertVerdict& alert) {
  return alert.shown ? t("report.alert.shows", Seconds(t, alert.shown))
                     : t("report.alert.shows_nothing");
}

std::string ShownSentence(const Messages& t, const AlertVerdict& alert) {
  if (std::isnan(alert.quantile)) {
    return alert.value ? t("report.alert.is", ThreeDigits(*alert.value))
                       : t("report.alert.shows_nothing");
  }
  const std::string text = ShownAlone(t, alert);
  if (!alert.interval.low && !alert.interval.high) return text;
  const std::string range = SecondsRange(t, alert.interval);
  return text + (alert.shown_proven_wrong ? t("join.comma") + t("report.alert.proven_wrong", range)
                                          : t("join.semicolon") + t("report.alert.proven", range));
}

std::string DecidedSentence(const Messages& t, const AlertVerdict& alert) {
  if (std::isnan(alert.quantile)) return FiresSentence(t, alert);
  if (!alert.threshold) return "";
  const std::string threshold = Seconds(t, alert.threshold);
  if (!alert.decided && alert.shown) return t("decided.nothing_proven", threshold);
  if (!alert.decided) return t("decided.no_data", threshold);
  const std::string decided =
      t.Of(*alert.decided, {"decided.above", "decided.below", "decided.undecidable"}, threshold);
  return Joined(t, "join.semicolon", decided, alert.IsHeldBack() ? t("fires.held_back") : "");
}

std::string AlertSentence(const Messages& t, const AlertVerdict& alert) {
  return Joined(t, "join.semicolon", AlertSubject(t, alert) + " " + ShownSentence(t, alert),
                DecidedSentence(t, alert));
}

std::string WindowText(const Messages& t, const Diagnosis& diagnosis) {
  return RangeText(diagnosis.window, t("range.to"), t.zone()) +
         (diagnosis.window_found ? t("join.comma") + t("facts.window.found") : "");
}

std::string BaselineText(const Messages& t, const Diagnosis& diagnosis) {
  return diagnosis.baseline ? RangeText(*diagnosis.baseline, t("range.to"), t.zone())
                            : t("facts.none");
}

Message HolderName(const Messages& t, const std::string& id) {
  return t.Has("holder." + id) ? Message("holder." + id) : Verbatim(id);
}

std::string HeldText(const Messages& t, const Diagnosis& diagnosis) {
  if (diagnosis.verdict != Verdict::kIncident) return "";
  double seconds = 0;
  std::vector<std::pair<double, Message>> parts;
  for (const PodHolder& one : diagnosis.holders) {
    if (one.id.find('.') != std::string::npos) continue;  // part of another
    seconds += one.seconds.value.value_or(0);
    const double share = one.share.value.value_or(0);
    if (share < kWorthARow) continue;
    parts.emplace_back(-share, Message("pods.holder", {{"share", arg::Share(share)},
                                                       {"holder", HolderName(t, one.id)}}));
  }
  if (seconds < 1 || parts.empty()) return "";
  std::ranges::stable_sort(parts, {}, &std::pair<double, Message>::first);
  std::vector<Message> held;
  for (auto& [share, text] : parts) held.push_back(std::move(text));
  return t(Message("pods.held", {{"seconds", arg::Duration(seconds)}, {"holders", held}}));
}

std::string RecomputedSentence(const Messages& t, const Diagnosis& diagnosis) {
  if (!diagnosis.alert) return "";
  const std::string& kind = diagnosis.source.kind;
  const bool in_memory = kind == "capture" || kind == "scrape-pair" || kind == "scenario";
  std::string text;
  for (const Recomputed& one : diagnosis.alert->recomputed) {
    if (in_memory && one.agrees) continue;
    std::string verdict = t("recomputed.close");
    if (one.tolerance == "bits") verdict = t("recomputed.bits");
    if (!one.agrees) verdict = t("recomputed.differ", one.agreeing_rates, one.rates);
    text = Joined(
        t, "join.sentence", text,
        t("recomputed.sentence", Shorten(Visible(t(one.what)), 160), Moment(one.at, t.zone()),
          Seconds(t, one.shown), Seconds(t, one.recomputed), verdict));
  }
  return text;
}

std::string AlertName(const Messages& t, const AlertVerdict& alert) {
  return t(alert.given ? "report.alert" : "report.quantile");
}

std::string ShareSentence(const Messages& t, const std::optional<Measured>& of,
                          const std::string& share) {
  const bool growth = of && IsOfTheGrowth(*of);
  return t(growth ? "report.of_the_growth" : "report.of_the_time", share);
}

std::string SureText(const Messages& t, Confidence confidence,
                     const std::optional<Measured>& share) {
  const std::string sure = ConfidenceWord(t, confidence);
  if (!share || !(share->value || share->low)) return sure;
  return sure + t("join.comma") + ShareSentence(t, share, ShareText(t, *share));
}

std::vector<Item> StepItems(const Messages& t, const Finding& finding) {
  std::vector<Item> items;
  EachStep(finding, [&](const NextStep& step) {
    const std::string text = t(step.text);
    if (!step.answered && std::ranges::find(items, text, &Item::text) == items.end()) {
      items.push_back({text, step.query});
    }
  });
  return items;
}

const std::optional<Remedy>& ActionOf(const Finding& finding) {
  const CauseBehind* behind = LeadingBehind(finding);
  return behind ? behind->action : finding.action;
}

std::vector<std::pair<std::string, std::string>> ActionFacts(const Messages& t,
                                                             const Diagnosis& d) {
  if (d.findings.empty() || d.verdict == Verdict::kNoIncident) return {};
  return RemedyFacts(t, ActionOf(d.findings.front()));
}

std::vector<std::pair<std::string, std::string>> RemedyFacts(const Messages& t,
                                                             const std::optional<Remedy>& action) {
  if (!action) return {};
  std::vector<std::pair<std::string, std::string>> facts = {{t("action.now"), t(action->now)}};
  const bool asks = !action->query.empty();
  const std::string line = asks ? action->query : t(action->command);
  if (!line.empty()) {
    facts.emplace_back(t(asks ? "action.query" : "action.command"), "`" + Visible(line) + "`");
  }
  facts.emplace_back(t("action.owner"), t(action->owner));
  facts.emplace_back(t("action.later"), t(action->later));
  return facts;
}

std::string BehindSentence(const Messages& t, const CauseBehind& cause) {
  return t("finding.behind", t(cause.title), SureText(t, cause.confidence, cause.share));
}

std::vector<Item> EvidenceItems(const Messages& t, const Finding& finding) {
  std::vector<Item> items;
  for (const Evidence& one : finding.evidence) items.push_back({t(one.text), one.query});
  std::string then;
  for (const Consequence& one : finding.consequences) {
    then = Joined(t, "join.semicolon", then, t(one.title));
  }
  if (!then.empty()) items.push_back({t("finding.consequences", then)});
  for (const CauseBehind& one : finding.behind) {
    std::string text = BehindSentence(t, one);
    for (const Evidence& evidence : one.evidence) text += " " + t(evidence.text);
    items.push_back({std::move(text)});
  }
  EachStep(finding, [&](const NextStep& step) {
    if (!step.answered) return;
    items.push_back({t("finding.checked", t(step.text), t(step.answered->text)), step.query});
  });
  return items;
}

std::string RestSentence(const Messages& t, std::size_t count) {
  return count <= kMostListed ? ""
                              : t("list.rest", Count(static_cast<double>(count - kMostListed)));
}

std::vector<std::string> RemarkLines(const Messages& t, const std::vector<Message>& all) {
  std::map<std::string_view, std::size_t> counts, listed;
  for (const Message& one : all) ++counts[one.id];
  std::vector<std::string> remarks;
  for (const Message& one : all) {
    const std::size_t n = ++listed[one.id];
    if (n <= kMostListed) remarks.push_back(t(one));
    if (n == kMostListed && counts[one.id] > n) remarks.push_back(RestSentence(t, counts[one.id]));
  }
  return remarks;
}

std::vector<std::pair<std::string, std::string>> EpisodeLines(const Messages& t,
                                                              const Diagnosis& diagnosis) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::size_t others = 0;
  for (const bool hurts : {true, false}) {
    for (const Episode& one : hurts ? diagnosis.episodes : diagnosis.also_seen) {
      if (one.reported) continue;
      if (++others > kMostListed) continue;
      std::string text = Joined(t, "join.colon", RangeText(one.window, t("range.to"), t.zone()),
                                Visible(t(one.headline)));
      if (hurts && !one.command.empty()) {
        text += " `" + Shorten(Visible(one.command), 4 * kLongestQuery) + "`";
      }
      lines.emplace_back(t(hurts ? "facts.episode" : "facts.also_seen"), std::move(text));
    }
  }
  if (others > kMostListed) lines.emplace_back(t("facts.episode"), RestSentence(t, others));
  return lines;
}

std::string UnitSentence(const Messages& t, const Diagnosis& diagnosis) {
  if (diagnosis.units.empty()) return "";
  return t("units.about", Shorten(LabelText(diagnosis.units.front().labels), 200),
           diagnosis.units.size());
}

std::string AlertSubject(const Messages& t, const AlertVerdict& alert) {
  if (std::isnan(alert.quantile)) return "`" + Shorten(Visible(alert.expr), 1000) + "`";
  return t("report.quantile_of", QuantileName(alert.quantile), Visible(alert.metric));
}

std::string LabelText(const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "{" : ", ", Visible(name), Visible(value));
  }
  return text.empty() ? "" : text + "}";
}

std::string ReleaseText(const Messages& t, const Diagnosis& diagnosis) {
  constexpr std::pair<std::string_view, std::string_view> kOpen[] = {
      {" or later", "facts.release.or_later"}, {" or earlier", "facts.release.or_earlier"}};
  std::string text = Shorten(Visible(diagnosis.release), 40);
  for (const auto& [end, id] : kOpen) {
    if (text.ends_with(end)) return t(id, text.substr(0, text.size() - end.size()));
  }
  return text;
}

std::string SourceSentence(const Messages& t, const Diagnosis& diagnosis) {
  const SourceInfo& source = diagnosis.source;
  std::string text = Visible(source.kind) + " " + Shorten(Visible(source.name), 120);
  if (!source.version.empty()) text += " " + Shorten(Visible(source.version), 40);
  if (!diagnosis.release.empty()) {
    text += t("join.semicolon") + t("facts.release", ReleaseText(t, diagnosis));
  }
  return text + t("join.semicolon") + t("facts.arithmetic", SemanticsText(source.semantics));
}

std::string ShareText(const Messages& t, const Measured& share) {
  const std::string value = Percent(t, share.value);
  if (!HasRange(share)) return value;
  if (!share.value) return PercentRange(t, BoundsOf(share));
  return value + t("join.brackets", PercentRange(t, BoundsOf(share)));
}

std::string ControlPlaneSentence(const Messages& t, const Diagnosis& d) {
  if (!ControlPlaneIsShown(d)) return "";
  const ControlPlaneSeen& n = *d.control_plane;
  std::string servers = SeenText(t, n.apiserver);
  if (n.apiserver.covered && n.apiserver.covered->value) {
    servers += t("join.comma") + t("neighbours.answered", Percent(t, *n.apiserver.covered->value));
  }
  return t("neighbours.apiservers", servers) + t("join.semicolon") +
         t("neighbours.etcd", SeenText(t, n.etcd)) + t("join.semicolon") +
         t("neighbours.kube_state_metrics", SeenText(t, n.kube_state_metrics));
}

std::vector<std::string> GapSentences(const Messages& t, const Diagnosis& d) {
  std::vector<std::string> gaps = t(d.gaps);
  if (!ControlPlaneIsShown(d)) return gaps;
  const ControlPlaneSeen& n = *d.control_plane;
  for (const ComponentSeen* one : {&n.apiserver, &n.etcd, &n.kube_state_metrics}) {
    for (std::string& missing : t(one->missing)) gaps.push_back(std::move(missing));
  }
  return gaps;
}

std::string EpisodesSentence(const Messages& t, const AlertVerdict& alert) {
  if (alert.episodes.empty()) return "";
  std::string all;
  for (const AlertEpisode& episode : alert.episodes) {
    std::string one;
    const auto add = [&](const char* id, const std::optional<TimeMs>& at) {
      if (at) one = Joined(t, "join.comma", one, t(id, TimeOfDay(*at, t.zone())));
    };
    add("episode.pending", episode.pending);
    add("episode.firing", episode.firing);
    add("episode.resolved", episode.resolved);
    all = Joined(t, "join.semicolon", all, one);
  }
  return t("episode.all", all, ZoneText(t.zone(), alert.episodes.front().pending));
}

std::string MadeSentence(const Messages& t, const Diagnosis& diagnosis) {
  if (!diagnosis.made) return "";
  const std::string by =
      t("made.by", Moment(*diagnosis.made, t.zone()), Shorten(Visible(diagnosis.tool_version), 40));
  if (diagnosis.cluster.empty()) return by;
  return t("made.cluster", by, Shorten(Visible(diagnosis.cluster), 100));
}

std::string CommandOf(const Diagnosis& diagnosis) {
  return Shorten(Visible(diagnosis.command), 4 * kLongestQuery);
}

std::string MadeText(const Messages& t, const Diagnosis& diagnosis) {
  const std::string command = CommandOf(diagnosis);
  return Joined(t, "join.colon", MadeSentence(t, diagnosis),
                command.empty() ? "" : "`" + command + "`");
}

}  // namespace schedlens
