#include "report/messages/wording.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "contract/notes.h"
#include "contract/share.h"
#include "model/time_zone.h"
#include "report/escape.h"
#include "report/format.h"

namespace schedlens {

namespace {

/// Three digits of what may be a fraction or a count.
std::string PlainNumber(double value) {
  return std::abs(value) >= 1000 ? Count(value) : fmt::format("{:.3g}", value);
}

/// Of an alert that is no quantile: whether it fires, and since when.
std::string FiresSentence(const Messages& t, const AlertVerdict& alert) {
  switch (alert.fires.state) {
    case FiresState::kYes:
      if (alert.fires.times.empty()) return t("fires.unknown");
      return t("fires.yes", TimeOfDay(alert.fires.times.front(), t.zone()),
               TimeOfDay(alert.fires.times.back(), t.zone()),
               ZoneText(t.zone(), alert.fires.times.back()));
    case FiresState::kNo:
      return t("fires.no");
    case FiresState::kUnclear:
      return t("fires.unknown");
  }
  return "";
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
  switch (verdict) {
    case Verdict::kIncident:
      return t("verdict.incident");
    case Verdict::kNoIncident:
      return t("verdict.no_incident");
    case Verdict::kArtifact:
      return t("verdict.artifact");
    case Verdict::kUndecidable:
      return t("verdict.undecidable");
    case Verdict::kInsufficientData:
      return t("verdict.insufficient");
  }
  return "";
}

std::string Headline(const Messages& t, const Diagnosis& diagnosis) {
  if (!diagnosis.headline.empty()) return t(diagnosis.headline);
  const std::string verdict = VerdictWord(t, diagnosis);
  if (diagnosis.findings.empty()) return t("report.headline.verdict", verdict);
  const Finding& first = diagnosis.findings.front();
  const std::string sure = ConfidenceWord(t, first.confidence);
  if (!first.share || !first.share->value)
    return t("report.headline.title", verdict, t(first.title), sure);
  return t("report.headline.share", verdict, t(first.title), sure, Percent(t, first.share->value));
}

std::string ConfidenceWord(const Messages& t, Confidence confidence) {
  switch (confidence) {
    case Confidence::kCertain:
      return t("confidence.certain");
    case Confidence::kLikely:
      return t("confidence.likely");
    case Confidence::kPossible:
      return t("confidence.possible");
  }
  return "";
}

std::string PartialSentence(const Messages& t, const Diagnosis& diagnosis) {
  std::string text;
  for (const Message& warning : diagnosis.warnings) {
    if (!IsPartialAnswer(warning)) continue;
    text += (text.empty() ? "" : t("join.semicolon")) + Shorten(Visible(t(warning)), 200);
  }
  return text.empty() ? "" : t("report.partial.text", Shorten(text, 600));
}

std::string ShownAlone(const Messages& t, const AlertVerdict& alert) {
  return alert.shown ? t("report.alert.shows", Seconds(t, alert.shown))
                     : t("report.alert.shows_nothing");
}

std::string ShownSentence(const Messages& t, const AlertVerdict& alert) {
  if (std::isnan(alert.quantile)) {
    return alert.value ? t("report.alert.is", PlainNumber(*alert.value))
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
  switch (*alert.decided) {
    case Decided::kAbove:
      return t("decided.above", threshold);
    case Decided::kBelow:
      return t("decided.below", threshold);
    case Decided::kUndecidable:
      return t("decided.undecidable", threshold);
  }
  return "";
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
    if (!one.agrees) {
      verdict = t("recomputed.differ", one.agreeing_rates, one.rates);
    }
    text += (text.empty() ? "" : t("join.sentence")) +
            t("recomputed.sentence", Shorten(Visible(t(one.what)), 160), Moment(one.at, t.zone()),
              Seconds(t, one.shown), Seconds(t, one.recomputed), verdict);
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

std::string ConsequencesSentence(const Messages& t, const Finding& finding) {
  std::string titles;
  for (const Consequence& consequence : finding.consequences) {
    titles += (titles.empty() ? "" : t("join.semicolon")) + t(consequence.title);
  }
  return titles.empty() ? "" : t("finding.consequences", titles);
}

std::vector<std::string> StepSentences(const Messages& t, const std::vector<NextStep>& steps) {
  std::vector<std::string> sentences;
  for (const NextStep& step : steps) {
    const std::string text = t(step.text);
    const bool run = step.answered.has_value();
    sentences.push_back(run ? t("finding.answered", text, t(step.answered->text)) : text);
  }
  return sentences;
}

std::vector<std::string> BehindSentences(const Messages& t, const Finding& finding) {
  std::vector<std::string> sentences;
  for (const CauseBehind& one : finding.behind) {
    std::string text = t("finding.behind", t(one.title), ConfidenceWord(t, one.confidence),
                         ShareSentence(t, one.share, ShareText(t, one.share)));
    for (const Evidence& evidence : one.evidence) text += " " + t(evidence.text);
    sentences.push_back(std::move(text));
    for (const std::string& step : StepSentences(t, one.next_steps)) {
      sentences.push_back(t("finding.next") + " " + step);
    }
  }
  return sentences;
}

std::string RestSentence(const Messages& t, std::size_t count) {
  return count <= kMostListed ? "" : t("list.rest", count - kMostListed);
}

std::vector<std::string> Remarks(const Messages& t, const std::vector<Message>& all) {
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
  if (labels.empty()) return "";
  std::string text;
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text += ", ";
    text += Visible(name) + "=\"" + Visible(value) + "\"";
  }
  return "{" + text + "}";
}

std::string CrossCheckWord(const Messages& t, ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::kExplained:
      return t("cross_check.explained");
    case ReplayVerdict::kPartly:
      return t("cross_check.partly");
    case ReplayVerdict::kNot:
      return t("cross_check.not");
    case ReplayVerdict::kUndecidable:
      return t("cross_check.undecidable");
  }
  return "";
}

std::string QueueRowName(const Messages& t, const std::string& id) {
  if (id == "loop.busy") return t("queue.loop_busy");
  if (id == "pod.attempts") return t("queue.pod_attempts");
  if (id == "pod.wait") return t("queue.pod_wait");
  if (id == "pending.active") return t("queue.active");
  if (id == "pending.backoff") return t("queue.backoff");
  if (id == "pending.unschedulable") return t("queue.unschedulable");
  if (id == "pending.gated") return t("queue.gated");
  return Visible(id);
}

std::string QueueRowNumber(const Messages& t, const std::string& id,
                           const std::optional<Measured>& number) {
  if (!number || !number->value) return kUnknown;
  if (id == "loop.busy") return Percent(t, number->value);
  return number->unit == "s" ? Seconds(t, number->value) : Count(number->value);
}

std::string SemanticsText(const Semantics& semantics) {
  if (semantics.IsVictoriaMetrics()) return "VictoriaMetrics";
  return "Prometheus " + std::to_string(semantics.major) + "." + std::to_string(semantics.minor) +
         (semantics.fma ? " (arm64)" : "");
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

}  // namespace schedlens
