// The sections that are a plot, a table or a list.

#include "report/html/sections.h"

#include "report/escape.h"
#include "report/format.h"
#include "report/html/parts.h"
#include "report/impact_tables.h"
#include "report/messages/wording.h"
#include "report/neighbours.h"
#include "report/plot_data.h"
#include "report/post_mortem.h"

namespace schedlens {

namespace {

std::string Tag(const Messages& t, const Finding& finding) {
  std::string tag = "<b>" + HtmlText(ConfidenceWord(t, finding.confidence)) + "</b>";
  if (finding.share) {
    tag += HtmlText(t("join.comma")) +
           ShareSentence(t, finding.share, HtmlNumber(ShareCell(t, finding.share)));
  }
  return tag + " · <code>" + HtmlText(finding.id, 120) + "</code>";
}

std::string EvidenceHtml(const Messages& t, const Diagnosis& d, const Finding& finding) {
  if (finding.evidence.empty()) return "";
  std::string out = "<h4>" + HtmlText(t("facts.measured")) + "</h4><ul>";
  for (const Evidence& evidence : finding.evidence) {
    out += "<li>" + HtmlProse(t(evidence.text));
    out += HtmlQueryFold(t("page.query"), d.source, evidence.query, d.window.end) + "</li>";
  }
  return out + "</ul>";
}

std::string StepsHtml(const Messages& t, const Diagnosis& d, const Finding& finding) {
  if (finding.next_steps.empty()) return "";
  std::string out = "<h4>" + HtmlText(t("finding.next.heading")) + "</h4><ul>";
  const std::vector<std::string> sentences = StepSentences(t, finding.next_steps);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    out += "<li>" +
           HtmlWithQuery(sentences[i], t("page.query"), d.source, finding.next_steps[i].query,
                         d.window.end) +
           "</li>";
  }
  return out + "</ul>\n";
}

std::string BehindHtml(const Messages& t, const Diagnosis& d, const Finding& finding) {
  if (finding.behind.empty()) return "";
  std::string out = "<ul>";
  for (const std::string& sentence : BehindSentences(t, finding)) {
    std::string_view query;
    for (const CauseBehind& one : finding.behind) {
      for (const NextStep& step : one.next_steps) {
        if (sentence.find("`" + step.query + "`") != std::string::npos) query = step.query;
      }
    }
    out +=
        "<li>" + HtmlWithQuery(sentence, t("page.query"), d.source, query, d.window.end) + "</li>";
  }
  return out + "</ul>\n";
}

std::string PlotAndTable(const std::string& plot, const Messages& t, const std::string& caption,
                         const ReportTable& table) {
  return plot + HtmlDetails(t("report.the_numbers_as_a_table"), HtmlTable(caption, table));
}

}  // namespace

std::string HtmlFindingList(const Messages& t, const Diagnosis& d) {
  if (d.findings.empty()) return "";
  std::string out = "<ol class=\"findings\">";
  for (const Finding& finding : d.findings) {
    out += "<li><h3>" + HtmlText(t(finding.title), 300) + "</h3><p class=\"tag\">" +
           Tag(t, finding) + "</p>" + EvidenceHtml(t, d, finding);
    if (const std::string then = ConsequencesSentence(t, finding); !then.empty()) {
      out += "<p>" + HtmlText(then, 600) + "</p>";
    }
    out += BehindHtml(t, d, finding);
    out += StepsHtml(t, d, finding) + "</li>\n";
  }
  return out + "</ol>\n";
}

std::string HtmlFindings(const Messages& t, const Diagnosis& d) {
  return HtmlSection("findings", t("report.findings"), HtmlFindingList(t, d));
}

std::string HtmlAlertTitle(const Messages& t, const Diagnosis& d) {
  return t(d.alert && d.alert->given ? "report.the_alert" : "report.the_quantile");
}

std::string HtmlAlert(const Messages& t, const Diagnosis& d) {
  const auto plot = AlertPlot(t, d);
  std::string html = plot ? DrawPlot(*plot) : "";
  if (d.alert) {
    html += HtmlList(t(d.alert->notes));
    html += HtmlQueryFold(t("report.expression"), d.source, d.alert->expr, d.window.end);
  }
  if (plot)
    html +=
        HtmlDetails(t("report.the_numbers_as_a_table"), HtmlTable(plot->title, AlertTable(t, d)));
  return HtmlSection("alert", HtmlAlertTitle(t, d), html);
}

std::string HtmlHeatmap(const Messages& t, const Diagnosis& d) {
  const auto plot = E2eHeatmap(t, d);
  if (!plot) return "";
  return HtmlSection("heatmap", plot->title,
                     HtmlParagraph("soft", HtmlText(plot->description)) +
                         PlotAndTable(DrawHeatmap(*plot), t, plot->title, BucketTable(t, d)));
}

std::string HtmlInversion(const Messages& t, const Diagnosis& d) {
  const auto plot = InversionPlot(t, d);
  if (!plot) return "";
  std::string html;
  if (d.inversion->witness) {
    html += HtmlParagraph("", HtmlText(t("inversion.witness", Seconds(t, d.inversion->witness),
                                         Shorten(Visible(t(d.inversion->upper_metric)), 120),
                                         Shorten(Visible(t(d.inversion->lower_metric)), 120))));
  }
  html += PlotAndTable(DrawPlot(*plot), t, plot->title, InversionTable(t, d));
  return HtmlSection("inversion", t("inversion.heading"), html);
}

std::string HtmlImpact(const Messages& t, const Diagnosis& d) {
  std::string html = HtmlTable(t("impact.heading"), ImpactTable(t, d, 30));
  for (const std::string& sentence : ImpactSentences(t, d, 30)) {
    html += HtmlParagraph("soft", HtmlText(sentence));
  }
  return HtmlSection("impact", t("impact.heading"), html);
}

std::string HtmlChanges(const Messages& t, const Diagnosis& d) {
  std::string html = HtmlTable(t("changes.heading"), ChangesTable(t, d));
  if (!html.empty()) html += HtmlParagraph("soft", HtmlText(t("changes.note")));
  return HtmlSection("changes", t("changes.heading"), html);
}

std::string HtmlQuantiles(const Messages& t, const Diagnosis& d) {
  return HtmlSection(
      "quantiles", t("report.quantiles_and_results"),
      HtmlTable(t("report.quantiles"), QuantilesTable(t, d)) +
          HtmlDetails(t("report.why_each_quantile_is_what_it"),
                      HtmlTable(t("report.why_each_quantile_is_what_it"), ReasonsTable(t, d))) +
          HtmlTable(t("report.results"), ResultsTable(t, d)));
}

std::string HtmlPlugins(const Messages& t, const Diagnosis& d) {
  if (d.plugins.empty()) return "";
  constexpr int kLeading = 3;
  const std::string others = t("page.other_plugins");
  return HtmlSection(
      "plugins", t("report.plugins"),
      HtmlParagraph("soft", HtmlText(t("page.plugins"))) +
          HtmlTable(t("report.plugins"), PluginsTable(t, d, {.most = kLeading})) +
          HtmlDetails(others, HtmlTable(others, PluginsTable(t, d, {.from = kLeading}))));
}

std::string HtmlQueue(const Messages& t, const Diagnosis& d) {
  std::string html;
  for (const auto& plot : {QueuePlot(t, d), ThroughputPlot(t, d)}) {
    if (plot) html += "<h3>" + HtmlText(plot->title) + "</h3>" + DrawPlot(*plot);
  }
  if (!html.empty()) {
    html +=
        HtmlDetails(t("report.the_numbers_as_a_table"),
                    HtmlTable(t("report.queue_and_throughput_over_time"), QueueTimesTable(t, d)));
  }
  if (!d.queue.empty()) html += HtmlTable(t("report.queue_and_throughput"), QueueTable(t, d));
  return HtmlSection("queue", t("report.queue_and_throughput"), html);
}

std::string HtmlCrossCheck(const Messages& t, const Diagnosis& d) {
  if (!d.cross_check) return "";
  const CrossCheck& check = *d.cross_check;
  std::string verdict = "<b>" + HtmlText(CrossCheckWord(t, check.verdict)) + "</b>";
  if (check.distance) {
    const TableCell distance{Percent(t, check.distance), {*check.distance}};
    verdict += t("join.semicolon") + t("cross_check.gap", HtmlNumber(distance));
  }
  std::string html = HtmlParagraph("", verdict);
  if (!check.note.empty()) html += HtmlParagraph("soft", HtmlText(t(check.note)));
  if (const auto plot = CrossCheckPlot(t, d)) {
    html += PlotAndTable(DrawPlot(*plot), t, plot->title, CrossCheckTable(t, d));
  }
  html += HtmlTable(t("report.measured_and_replayed_quantiles"), PredictedTable(t, d));
  return HtmlSection("cross-check", t("cross_check.heading"), html);
}

std::string HtmlTimeline(const Messages& t, const Diagnosis& d) {
  std::string out = "<ol class=\"events\">";
  for (const Event& event : EventsOf(t, d)) {
    const std::string time = DateAndTime(event.time);
    out += "<li><time datetime=\"" + HtmlText(time) + "Z\">" +
           HtmlText(Moment(event.time, t.zone())) + "</time> " + HtmlText(event.text) + "</li>";
  }
  return HtmlSection("timeline", t("report.timeline"), out + "</ol>\n");
}

std::string HtmlPostMortem(const Messages& t, const Diagnosis& d) {
  std::string out = HtmlParagraph("soft", HtmlText(t("post_mortem.note")));
  for (const PostMortemField& field : PostMortem(t, d)) {
    if (field.name == t("report.title")) continue;
    out += "<h3>" + HtmlText(field.name);
    if (field.inference)
      out += "<span class=\"infer\">" + HtmlText(t("report.inference")) + "</span>";
    out += "</h3>";
    if (field.lines.empty()) {
      out += HtmlParagraph("blank", HtmlText(t("report.to_be_filled_in")));
    } else if (!field.shown_in.empty()) {
      out += HtmlParagraph(
          "", "<a href=\"#" + field.shown_in + "\">" + HtmlText(t("page.shown_above")) + "</a>");
    } else {
      out += HtmlList(field.lines);
    }
  }
  return HtmlSection("post-mortem", t("report.post_mortem"), out);
}

std::string HtmlAppendix(const Messages& t, const Diagnosis& d) {
  std::string html;
  const auto list = [&](const std::string& title, const std::vector<std::string>& items) {
    if (!items.empty()) html += "<h3>" + HtmlText(title) + "</h3>" + HtmlList(items);
  };
  list(t("report.what_is_missing"), GapSentences(t, d));
  list(t("report.warnings"), Remarks(t, d.warnings));
  list(t("report.noticed_while_reading"), Remarks(t, d.source.warnings));
  std::string queries;
  for (const AskedQuery& query : d.queries) {
    queries += "<li>" + HtmlText(query.name, 80) + " <span class=\"soft\">" +
               HtmlText(Moment(query.at, t.zone()) + t("join.comma")) +
               HtmlText(t("report.series", query.series)) + "</span><br>" +
               HtmlQuery(d.source, query.promql, query.at) + "</li>\n";
  }
  if (!queries.empty()) {
    html += HtmlDetails(t("report.queries", d.queries.size()), "<ol>" + queries + "</ol>");
  }
  html += HtmlParagraph("soft", HtmlText("schedlens " + Shorten(Visible(d.tool_version), 40), 100));
  return HtmlSection("appendix", t("report.appendix"), html);
}

}  // namespace schedlens
