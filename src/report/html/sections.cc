// The sections that are a plot, a table or a list.

#include "report/html/sections.h"

#include "report/escape.h"
#include "report/format.h"
#include "report/html/parts.h"
#include "report/messages/wording.h"
#include "report/plot_data.h"
#include "report/post_mortem.h"

namespace schedlens {

namespace {

std::string Tag(const Messages& t, const Finding& finding) {
  std::string tag = "<b>" + HtmlText(ConfidenceWord(t, finding.confidence)) + "</b>";
  if (finding.share) {
    tag += HtmlText(t(", ")) + t("{0} of the time", HtmlNumber(ShareCell(finding.share)));
  }
  return tag + " · <code>" + HtmlText(finding.id, 120) + "</code>";
}

std::string EvidenceHtml(const Messages& t, const Diagnosis& d, const Finding& finding) {
  if (finding.evidence.empty()) return "";
  std::string out = "<h4>" + HtmlText(t("Measured")) + "</h4><ul>";
  for (const Evidence& evidence : finding.evidence) {
    out += "<li>" + HtmlProse(evidence.text);
    if (!evidence.query.empty()) {
      out += "<span class=\"q\">" + HtmlQuery(d.source, evidence.query, d.window.end) + "</span>";
    }
    out += "</li>";
  }
  return out + "</ul>";
}

std::string PlotAndTable(const std::string& plot, const Messages& t, const std::string& caption,
                         const ReportTable& table) {
  return plot + HtmlDetails(t("The numbers as a table"), HtmlTable(caption, table));
}

}  // namespace

std::string HtmlFindings(const Messages& t, const Diagnosis& d) {
  if (d.findings.empty()) return "";
  std::string out = "<ol class=\"findings\">";
  for (const Finding& finding : d.findings) {
    out += "<li><h3>" + HtmlText(finding.title, 300) + "</h3><p class=\"tag\">" + Tag(t, finding) +
           "</p>" + EvidenceHtml(t, d, finding);
    if (!finding.next_steps.empty()) {
      out += "<h4>" + HtmlText(t("Next")) + "</h4>" + HtmlList(finding.next_steps);
    }
    out += "</li>\n";
  }
  return HtmlSection("findings", t("Findings"), out + "</ol>\n");
}

std::string HtmlAlert(const Messages& t, const Diagnosis& d) {
  const auto plot = AlertPlot(t, d);
  std::string html = plot ? DrawPlot(*plot) : "";
  if (d.alert) {
    std::vector<std::string> notes = d.alert->notes;
    html += HtmlList(notes);
    if (!d.alert->expr.empty()) {
      html += HtmlParagraph("soft", HtmlQuery(d.source, d.alert->expr, d.window.end));
    }
  }
  if (plot)
    html += HtmlDetails(t("The numbers as a table"), HtmlTable(plot->title, AlertTable(t, d)));
  return HtmlSection("alert", t("The alert"), html);
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
    html += HtmlParagraph(
        "",
        HtmlText(t("At {0} the two curves prove that {1} and {2} count different attempts.",
                   Seconds(d.inversion->witness), Shorten(Visible(d.inversion->upper_metric), 120),
                   Shorten(Visible(d.inversion->lower_metric), 120))));
  }
  html += PlotAndTable(DrawPlot(*plot), t, plot->title, InversionTable(t, d));
  return HtmlSection("inversion", t("Why one quantile reads above the other"), html);
}

std::string HtmlQuantiles(const Messages& t, const Diagnosis& d) {
  return HtmlSection(
      "quantiles", t("Quantiles and results"),
      HtmlTable(t("Quantiles"), QuantilesTable(t, d)) +
          HtmlDetails(t("Why each quantile is what it is"),
                      HtmlTable(t("Why each quantile is what it is"), ReasonsTable(t, d))) +
          HtmlTable(t("Results"), ResultsTable(t, d)));
}

std::string HtmlPlugins(const Messages& t, const Diagnosis& d) {
  if (d.plugins.empty()) return "";
  const ReportTable leading = PluginsTable(t, d, 3);
  return HtmlSection(
      "plugins", t("Plugins"),
      HtmlParagraph("soft", HtmlText(t("kube-scheduler times a 10 % sample of its plugins: compare "
                                       "them within one extension point only."))) +
          HtmlTable(t("Plugins"), leading) +
          HtmlDetails(t("All plugins"), leading.rows.size() < d.plugins.size()
                                            ? HtmlTable(t("All plugins"), PluginsTable(t, d))
                                            : ""));
}

std::string HtmlQueue(const Messages& t, const Diagnosis& d) {
  std::string html;
  for (const auto& plot : {QueuePlot(t, d), ThroughputPlot(t, d)}) {
    if (plot) html += "<h3>" + HtmlText(plot->title) + "</h3>" + DrawPlot(*plot);
  }
  if (!html.empty()) {
    html += HtmlDetails(t("The numbers as a table"),
                        HtmlTable(t("Queue and throughput, over time"), QueueTimesTable(t, d)));
  }
  if (!d.queue.empty()) html += HtmlTable(t("Queue and throughput"), QueueTable(t, d));
  return HtmlSection("queue", t("Queue and throughput"), html);
}

std::string HtmlCrossCheck(const Messages& t, const Diagnosis& d) {
  if (!d.cross_check) return "";
  const CrossCheck& check = *d.cross_check;
  std::string verdict = "<b>" + HtmlText(CrossCheckWord(t, check.verdict)) + "</b>";
  if (check.distance) {
    const TableCell distance{Percent(check.distance), {*check.distance}};
    verdict += t("; ") + t("largest gap between the two curves {0}", HtmlNumber(distance));
  }
  std::string html = HtmlParagraph("", verdict);
  if (!check.note.empty()) html += HtmlParagraph("soft", HtmlText(check.note));
  if (const auto plot = CrossCheckPlot(t, d)) {
    html += PlotAndTable(DrawPlot(*plot), t, plot->title, CrossCheckTable(t, d));
  }
  html += HtmlTable(t("Measured and replayed quantiles"), PredictedTable(t, d));
  return HtmlSection("cross-check", t("Cross-check: the reference scheduler replays it"), html);
}

std::string HtmlTimeline(const Messages& t, const Diagnosis& d) {
  std::string out = "<ol class=\"events\">";
  for (const Event& event : EventsOf(t, d)) {
    const std::string time = DateAndTime(event.time);
    out += "<li><time datetime=\"" + HtmlText(time) + "Z\">" + HtmlText(time) + " UTC</time> " +
           HtmlText(event.text) + "</li>";
  }
  return HtmlSection("timeline", t("Timeline"), out + "</ol>\n");
}

std::string HtmlPostMortem(const Messages& t, const Diagnosis& d) {
  std::string out = HtmlParagraph(
      "soft", HtmlText(t("Filled in where the data proves it; the rest is for people.")));
  for (const PostMortemField& field : PostMortem(t, d)) {
    out += "<h3>" + HtmlText(field.name);
    if (field.inference) out += "<span class=\"infer\">" + HtmlText(t("inference")) + "</span>";
    out += "</h3>";
    out += field.lines.empty() ? HtmlParagraph("blank", HtmlText(t("to be filled in")))
                               : HtmlList(field.lines);
  }
  return HtmlSection("post-mortem", t("Post-mortem"), out);
}

std::string HtmlAppendix(const Messages& t, const Diagnosis& d) {
  std::string html;
  const auto list = [&](const std::string& title, const std::vector<std::string>& items) {
    if (!items.empty()) html += "<h3>" + HtmlText(title) + "</h3>" + HtmlList(items);
  };
  list(t("What is missing"), d.gaps);
  list(t("Warnings"), d.warnings);
  list(t("Noticed while reading"), d.source.warnings);
  std::string queries;
  for (const AskedQuery& query : d.queries) {
    queries += "<li>" + HtmlText(query.name, 80) + " <span class=\"soft\">" +
               HtmlText(DateAndTime(query.at)) + " UTC, " +
               HtmlText(t("{0} series", query.series)) + "</span><br>" +
               HtmlQuery(d.source, query.promql, query.at) + "</li>\n";
  }
  if (!queries.empty()) {
    html += HtmlDetails(t("{0} queries", d.queries.size()), "<ol>" + queries + "</ol>");
  }
  html += HtmlParagraph("soft", HtmlText("schedlens " + Shorten(Visible(d.tool_version), 40) +
                                             t("; ") + SourceSentence(t, d),
                                         500));
  return HtmlSection("appendix", t("Appendix"), html);
}

}  // namespace schedlens
