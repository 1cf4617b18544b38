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
      Fact(t("facts.shown", QuantileName(alert.quantile)), HtmlNumber(SecondsCell(t, alert.shown)));
  out += Fact(t(alert.shown_proven_wrong ? "facts.proven_wrong" : "facts.proven"),
              HtmlNumber(SecondsRangeCell(t, alert.interval)));
  if (alert.threshold) {
    out += Fact(t("facts.threshold"), HtmlNumber(SecondsCell(t, alert.threshold)));
    out += Fact(t("report.decided"), HtmlProse(DecidedSentence(t, alert)));
  }
  return out;
}

std::string Window(const Messages& t, const TimeRange& range) {
  return HtmlText(RangeText(range, t("range.to"), t.zone()));
}

}  // namespace

std::string HtmlVerdict(const Messages& t, const Diagnosis& d) {
  const std::string color = ToString(IsBelowItsAlert(d) ? Verdict::kUndecidable : d.verdict);
  return "<span class=\"verdict " + color + "\">" + HtmlText(VerdictWord(t, d)) + "</span>";
}

std::string HtmlFacts(const Messages& t, const Diagnosis& d) {
  std::string out = "<dl class=\"facts\">";
  if (d.alert) out += AlertFacts(t, *d.alert);
  out += Fact(t("facts.attempts"), HtmlNumber(CountCell(d.attempts)));
  return out + Fact(t("report.total_time"), HtmlNumber(SecondsCell(t, d.e2e_seconds))) + "</dl>\n";
}

std::string HtmlExamined(const Messages& t, const Diagnosis& d) {
  std::string out = "<dl class=\"meta\">";
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
  const std::string made = MadeSentence(t, d);
  if (!made.empty()) out += Meta(t("report.made"), HtmlText(made));
  if (!d.command.empty()) {
    out += Meta(t("report.command"), "<code>" + EscapeHtml(CommandOf(d)) + "</code>");
  }
  return out + "</dl>";
}

std::string HtmlHeader(const Messages& t, const Diagnosis& d) {
  std::string out = "<header class=\"top\"><p class=\"brand\"><b>schedlens</b> " +
                    HtmlText(t("report.kube_scheduler_latency_report")) + "</p>\n" +
                    HtmlVerdict(t, d) + "\n<h1>" + HtmlProse(Headline(t, d), 400) + "</h1>\n" +
                    HtmlFacts(t, d);
  if (!d.units.empty()) {
    out += HtmlParagraph("soft", HtmlText(UnitSentence(t, d), 400)) +
           HtmlTable(t("units.heading"), UnitsTable(t, d));
    const std::string rest = RestSentence(t, d.units.size());
    if (!rest.empty()) out += HtmlParagraph("soft", HtmlProse(rest, 400));
  }
  return out + HtmlExamined(t, d) + "</header>\n";
}

}  // namespace schedlens
