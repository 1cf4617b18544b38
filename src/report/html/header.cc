// The top of the page: what a tired reader must see without scrolling.

#include <cmath>

#include "report/escape.h"
#include "report/format.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/messages/wording.h"
#include "report/neighbours.h"

namespace schedlens {

namespace {

std::string Fact(const std::string& name, const std::string& html) {
  return "<div><dt>" + HtmlText(name) + "</dt><dd>" + html + "</dd></div>";
}

std::string Meta(const std::string& name, const std::string& html) {
  return "<dt>" + HtmlText(name) + "</dt><dd>" + html + "</dd>";
}

std::string AlertFacts(const Messages& t, const AlertVerdict& alert) {
  if (std::isnan(alert.quantile)) {
    return Fact(t("facts.value"), HtmlNumber(CountCell(alert.value))) +
           Fact(t("facts.threshold"), HtmlNumber(CountCell(alert.threshold))) +
           Fact(t("report.decided"), HtmlProse(DecidedSentence(t, alert)));
  }
  std::string out =
      Fact(t("facts.shown", QuantileName(alert.quantile)), HtmlNumber(SecondsCell(alert.shown)));
  out += Fact(t(alert.shown_proven_wrong ? "facts.proven_wrong" : "facts.proven"),
              HtmlNumber(SecondsRangeCell(alert.interval)));
  if (alert.threshold) {
    out += Fact(t("facts.threshold"), HtmlNumber(SecondsCell(alert.threshold)));
    out += Fact(t("report.decided"), HtmlProse(DecidedSentence(t, alert)));
  }
  return out;
}

std::string Window(const Messages& t, const TimeRange& range) {
  return HtmlText(RangeText(range, t("range.to")));
}

}  // namespace

std::string HtmlHeader(const Messages& t, const Diagnosis& d) {
  const std::string verdict =
      ToString(IsBelowItsAlert(d) ? Verdict::kUndecidable : d.verdict);  // of the badge's color
  std::string out = "<header class=\"top\"><p class=\"brand\"><b>schedlens</b> " +
                    HtmlText(t("report.kube_scheduler_latency_report")) +
                    "</p>\n<span class=\"verdict " + verdict + "\">" + HtmlText(VerdictWord(t, d)) +
                    "</span>\n<h1>" + HtmlProse(Headline(t, d), 400) +
                    "</h1>\n<dl class=\"facts\">";
  if (d.alert) out += AlertFacts(t, *d.alert);
  out += Fact(t("facts.attempts"), HtmlNumber(CountCell(d.attempts)));
  out += Fact(t("report.total_time"), HtmlNumber(SecondsCell(d.e2e_seconds)));
  out += "</dl>\n";
  if (!d.units.empty()) {
    out += HtmlParagraph("soft", HtmlText(UnitSentence(t, d), 400)) +
           HtmlTable(t("units.heading"), UnitsTable(t, d));
  }
  out += "<dl class=\"meta\">";
  const std::string partial = PartialSentence(t, d);
  if (!partial.empty()) out += Meta(t("report.partial"), HtmlText(partial, 600));
  if (d.alert) {
    std::string subject = HtmlText(AlertSubject(t, *d.alert), 200);
    for (const auto& [name, value] : d.alert->labels) {
      subject += " <code>" + HtmlText(name + "=\"" + value + "\"", 120) + "</code>";
    }
    out += Meta(AlertName(t, *d.alert), subject);
  }
  out += Meta(t("facts.window"),
              Window(t, d.window) +
                  (d.window_found ? HtmlText(t("join.comma") + t("facts.window.found")) : ""));
  out += Meta(t("facts.baseline"), d.baseline ? Window(t, *d.baseline) : HtmlText(t("facts.none")));
  out += Meta(t("report.source"), HtmlText(SourceSentence(t, d), 400));
  const std::string neighbours = NeighboursSentence(t, d);
  if (!neighbours.empty()) out += Meta(t("report.neighbours"), HtmlText(neighbours, 400));
  return out + "</dl></header>\n";
}

}  // namespace schedlens
