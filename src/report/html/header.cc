// The top of the page: what a tired reader must see without scrolling.

#include "report/escape.h"
#include "report/format.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/messages/wording.h"

namespace schedlens {

namespace {

std::string Fact(const std::string& name, const std::string& html) {
  return "<div><dt>" + HtmlText(name) + "</dt><dd>" + html + "</dd></div>";
}

std::string Meta(const std::string& name, const std::string& html) {
  return "<dt>" + HtmlText(name) + "</dt><dd>" + html + "</dd>";
}

std::string AlertFacts(const Messages& t, const AlertVerdict& alert) {
  std::string out =
      Fact(t("{0} shown", QuantileName(alert.quantile)), HtmlNumber(SecondsCell(alert.shown)));
  out += Fact(t("Proven"), HtmlNumber(SecondsRangeCell(alert.interval)));
  if (alert.threshold) {
    out += Fact(t("Threshold"), HtmlNumber(SecondsCell(alert.threshold)));
    out += Fact(t("Decided"), HtmlProse(DecidedSentence(t, alert)));
  }
  return out;
}

std::string Window(const Messages& t, const TimeRange& range) {
  return HtmlText(RangeText(range, t("to")));
}

}  // namespace

std::string HtmlHeader(const Messages& t, const Diagnosis& d) {
  const std::string verdict = ToString(d.verdict);
  std::string out = "<header class=\"top\"><p class=\"brand\"><b>schedlens</b> " +
                    HtmlText(t("kube-scheduler latency report")) + "</p>\n<span class=\"verdict " +
                    verdict + "\">" + HtmlText(VerdictWord(t, d.verdict)) + "</span>\n<h1>" +
                    HtmlProse(Headline(t, d), 400) + "</h1>\n<dl class=\"facts\">";
  if (d.alert) out += AlertFacts(t, *d.alert);
  out += Fact(t("Attempts"), HtmlNumber(CountCell(d.attempts)));
  out += Fact(t("Time in all"), HtmlNumber(SecondsCell(d.e2e_seconds)));
  out += "</dl>\n<dl class=\"meta\">";
  if (d.alert) {
    std::string subject = HtmlText(AlertSubject(t, *d.alert), 200);
    for (const auto& [name, value] : d.alert->labels) {
      subject += " <code>" + HtmlText(name + "=\"" + value + "\"", 120) + "</code>";
    }
    out += Meta(t("Alert"), subject);
  }
  out += Meta(t("Window"), Window(t, d.window) +
                               (d.window_found ? HtmlText(t(", ") + t("found by itself")) : ""));
  out += Meta(t("Baseline"), d.baseline ? Window(t, *d.baseline) : HtmlText(t("none")));
  out += Meta(t("Source"), HtmlText(SourceSentence(t, d), 400));
  return out + "</dl></header>\n";
}

}  // namespace schedlens
