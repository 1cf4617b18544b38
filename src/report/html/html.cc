// The report as one page: no script, no network, readable from a phone to paper.

#include "report/html/html.h"

#include <cmath>

#include "report/commands.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/html/svg.h"
#include "report/messages/wording.h"
#include "report/sections.h"
#include "report/tables.h"

namespace schedlens {
namespace {

std::string EventsHtml(const Messages& t, const std::vector<Item>& events) {
  std::string out = "<ol class=\"events\">";
  for (const Item& event : events) {
    out += "<li><time datetime=\"" + HtmlText(DateAndTime(event.at)) + "Z\">" +
           HtmlText(Moment(event.at, t.zone())) + "</time> " + HtmlText(event.text) + "</li>";
  }
  return out + "</ol>\n";
}

std::string PartHtml(const Messages& t, const Diagnosis& d, const Section& section,
                     const Part& part) {
  std::string html;
  const std::string text = HtmlProse(part.text);
  if (!part.link.empty()) {
    html = HtmlParagraph("", "<a href=\"#" + part.link + "\">" + text + "</a>");
  } else {
    html = HtmlParagraph(part.blank ? "blank" : part.soft ? "soft" : "", text);
  }
  html += part.dated ? EventsHtml(t, part.items) : HtmlList(t, d.source, part.items);
  if (!part.facts.empty()) html += HtmlFacts(part.facts);
  if (part.drawing == Drawing::kFindings) html += HtmlFindings(t, d);
  if (part.drawing == Drawing::kStagesPerPod) html += HtmlStagesPerPod(t, d);
  if (part.drawing == Drawing::kTailBars) html += HtmlTailBars(t, d);
  for (const Plot& plot : part.plots) html += DrawPlot(plot);
  html += HtmlTable(section.title.empty() ? t("units.heading") : section.title, part.table);
  if (part.folded) {
    return "<details><summary>" + HtmlText(part.heading) + "</summary>" + html + "</details>\n";
  }
  if (part.heading.empty()) return html;
  const std::string tag =
      part.tag.empty() ? "" : "<span class=\"infer\">" + HtmlText(part.tag) + "</span>";
  return "<h3>" + HtmlText(part.heading) + tag + "</h3>" + html;
}

std::string SectionsHtml(const Messages& t, const Diagnosis& d,
                         const std::vector<Section>& sections) {
  std::string links, body;
  for (const Section& section : sections) {
    std::string html;
    for (const Part& part : section.parts) html += PartHtml(t, d, section, part);
    const std::string& name = section.contents.empty() ? section.title : section.contents;
    links += "<li><a href=\"#" + section.id + "\">" + HtmlText(name) + "</a></li>";
    body += HtmlSection(section.id, section.title, html);
  }
  return "<nav aria-label=\"" + HtmlText(t("report.contents")) + "\"><ul>" + links +
         "</ul></nav>\n" + body;
}

}  // namespace

std::string HtmlVerdict(const Messages& t, const Diagnosis& d) {
  const std::string color = ToString(IsBelowItsAlert(d) ? Verdict::kUndecidable : d.verdict);
  return "<span class=\"verdict " + color + "\">" + HtmlText(VerdictWord(t, d)) + "</span>";
}

std::string HtmlNumbers(const Messages& t, const Diagnosis& d) {
  std::string out = "<dl class=\"facts\">";
  const auto add = [&](const std::string& name, const TableCell& number) {
    out += "<div><dt>" + HtmlText(name) + "</dt><dd>" +
           (number.numbers.empty() ? HtmlProse(number.text) : HtmlNumber(number)) + "</dd></div>";
  };
  if (d.alert) {
    const AlertVerdict& alert = *d.alert;
    const bool quantile = !std::isnan(alert.quantile);
    if (quantile) {
      add(t("facts.shown", QuantileName(alert.quantile)), SecondsCell(t, alert.shown));
      add(t(alert.shown_proven_wrong ? "facts.proven_wrong" : "facts.proven"),
          SecondsRangeCell(t, alert.interval));
    } else {
      add(t("facts.value"), CountCell(alert.value));
    }
    if (!quantile || alert.threshold) {
      add(t("facts.threshold"),
          quantile ? SecondsCell(t, alert.threshold) : CountCell(alert.threshold));
      add(t("report.decided"), {DecidedSentence(t, alert)});
    }
  }
  add(t("facts.attempts"), CountCell(d.attempts));
  add(t("report.total_time"), SecondsCell(t, d.e2e_seconds));
  return out + "</dl>\n";
}

std::string HtmlFacts(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string out = "<dl class=\"meta\">";
  for (const auto& [name, text] : facts) {
    out += "<dt>" + HtmlText(name) + "</dt><dd>" + HtmlProse(text) + "</dd>";
  }
  return out + "</dl>";
}

std::string HtmlFindings(const Messages& t, const Diagnosis& d) {
  if (d.findings.empty()) return "";
  std::string out = "<ol class=\"findings\">";
  const auto list = [&](const char* heading, std::vector<Item> items) {
    if (items.empty()) return;
    for (Item& item : items) item.at = d.window.end;
    if (*heading != '\0') out += "<h4>" + HtmlText(t(heading)) + "</h4>";
    out += HtmlList(t, d.source, items);
  };
  for (const Finding& finding : d.findings) {
    out += "<li><h3>" + HtmlText(t(finding.title), 300) + "</h3><p class=\"tag\"><b>" +
           HtmlText(ConfidenceWord(t, finding.confidence)) + "</b>";
    if (finding.share) {
      out += HtmlText(t("join.comma")) +
             ShareSentence(t, finding.share, HtmlNumber(ShareCell(t, finding.share)));
    }
    out += " · <code>" + HtmlText(finding.id, 120) + "</code></p>";
    std::vector<Item> evidence;
    for (const Evidence& one : finding.evidence) evidence.push_back({t(one.text), one.query});
    list("facts.measured", std::move(evidence));
    out += HtmlParagraph("", HtmlText(ConsequencesSentence(t, finding), 600));
    list("", BehindItems(t, finding));
    list("finding.next.heading", StepItems(t, finding.next_steps));
    out += "</li>\n";
  }
  return out + "</ol>\n";
}

std::string RenderHtml(const Diagnosis& d, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  const Section lead = LeadOf(t, d, ReportFormat::kHtml);
  std::string header = HtmlNumbers(t, d);
  for (const Part& part : lead.parts) header += PartHtml(t, d, lead, part);
  return HtmlPage(t, Headline(t, d), HtmlVerdict(t, d) + "\n", header,
                  SectionsHtml(t, d, SectionsOf(t, d, ReportFormat::kHtml)), "");
}

std::string RenderHtml(const Against& against, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::vector<Item> notes;
  for (const std::string& note : t(against.notes)) notes.push_back({note});
  return HtmlPage(t, HeadlineOf(t, against), "", HtmlList(t, {}, notes),
                  SectionsHtml(t, against.now, SectionsOf(t, against, ReportFormat::kHtml)), "");
}

}  // namespace schedlens
