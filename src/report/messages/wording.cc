#include "report/messages/wording.h"

#include "report/escape.h"
#include "report/format.h"

namespace schedlens {

std::string VerdictWord(const Messages& t, Verdict verdict) {
  switch (verdict) {
    case Verdict::kIncident:
      return t("Incident");
    case Verdict::kNoIncident:
      return t("No incident");
    case Verdict::kArtifact:
      return t("Artifact of the number");
    case Verdict::kUndecidable:
      return t("Undecidable");
    case Verdict::kInsufficientData:
      return t("Not enough data");
  }
  return "";
}

std::string Headline(const Messages& t, const Diagnosis& diagnosis) {
  if (!diagnosis.headline.empty()) return diagnosis.headline;
  const std::string verdict = VerdictWord(t, diagnosis.verdict);
  if (diagnosis.findings.empty()) return t("{0}.", verdict);
  const Finding& first = diagnosis.findings.front();
  if (!first.share || !first.share->value) return t("{0}: {1}.", verdict, first.title);
  return t("{0}: {1}, {2} of the time.", verdict, first.title, Percent(first.share->value));
}

std::string ConfidenceWord(const Messages& t, Confidence confidence) {
  switch (confidence) {
    case Confidence::kCertain:
      return t("certain");
    case Confidence::kLikely:
      return t("likely");
    case Confidence::kPossible:
      return t("possible");
  }
  return "";
}

std::string DecidedSentence(const Messages& t, const AlertVerdict& alert) {
  if (!alert.threshold) return "";
  const std::string threshold = Seconds(alert.threshold);
  if (!alert.decided && alert.shown) return t("nothing proven to compare with {0}", threshold);
  if (!alert.decided) return t("no data to compare with {0}", threshold);
  switch (*alert.decided) {
    case Decided::kAbove:
      return t("truly above {0}", threshold);
    case Decided::kBelow:
      return t("truly not above {0}", threshold);
    case Decided::kUndecidable:
      return t("cannot be decided against {0} from this data", threshold);
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
    std::string verdict = t("they agree to 1e-9");
    if (one.tolerance == "bits") verdict = t("they agree to the bit");
    if (!one.agrees) {
      verdict = t("they do not agree ({0} of {1} rates do)", one.agreeing_rates, one.rates);
    }
    text += (text.empty() ? "" : t(". ")) +
            t("{0} at {1}: {2} there, {3} from raw samples; {4}", Shorten(Visible(one.what), 160),
              DateAndTime(one.at) + " UTC", Seconds(one.shown), Seconds(one.recomputed), verdict);
  }
  return text;
}

std::string AlertSubject(const Messages& t, const AlertVerdict& alert) {
  return t("{0} of {1}", QuantileName(alert.quantile), Visible(alert.metric));
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

std::string CrossCheckWord(const Messages& t, const std::string& verdict) {
  if (verdict == "explained") return t("explained");
  if (verdict == "partly") return t("partly explained");
  if (verdict == "not") return t("not explained");
  if (verdict == "undecidable") return t("undecidable");
  return Visible(verdict);
}

std::string QueueRowName(const Messages& t, const std::string& id) {
  if (id == "loop.busy") return t("scheduling loop busy");
  if (id == "pod.attempts") return t("attempts a scheduled pod");
  if (id == "pod.wait") return t("wait of a pod beside its last attempt");
  if (id == "pending.active") return t("pods in the active queue");
  if (id == "pending.backoff") return t("pods in back-off");
  if (id == "pending.unschedulable") return t("unschedulable pods");
  if (id == "pending.gated") return t("gated pods");
  return Visible(id);
}

std::string QueueRowNumber(const std::string& id, const std::optional<Measured>& number) {
  if (!number || !number->value) return kUnknown;
  if (id == "loop.busy") return Percent(number->value);
  return number->unit == "s" ? Seconds(number->value) : Count(number->value);
}

std::string SemanticsText(const Semantics& semantics) {
  if (semantics.IsVictoriaMetrics()) return "VictoriaMetrics";
  return "Prometheus " + std::to_string(semantics.major) + "." + std::to_string(semantics.minor) +
         (semantics.fma ? " (arm64)" : "");
}

std::string SourceSentence(const Messages& t, const Diagnosis& diagnosis) {
  const SourceInfo& source = diagnosis.source;
  std::string text = Visible(source.kind) + " " + Shorten(Visible(source.name), 120);
  if (!source.version.empty()) text += " " + Shorten(Visible(source.version), 40);
  if (!diagnosis.release.empty()) {
    text +=
        t("; ") + t("kube-scheduler {0} by its metrics", Shorten(Visible(diagnosis.release), 40));
  }
  return text + t("; ") + t("arithmetic of {0}", SemanticsText(source.semantics));
}

std::string ShareText(const Measured& share) {
  const std::string value = Percent(share.value);
  if (!HasRange(share)) return value;
  if (!share.value) return PercentRange(BoundsOf(share));
  return value + " (" + PercentRange(BoundsOf(share)) + ")";
}

}  // namespace schedlens
