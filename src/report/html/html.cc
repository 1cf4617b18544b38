// The report as one page: no script, no network, readable from a phone to paper. Of many diagnoses
// a line for each, worst first, and below it what was found, folded.

#include "report/html/html.h"

#include "report/commands.h"
#include "report/format.h"

namespace schedlens {
namespace {

/// A picture of one row, 1000 wide and 20 high, as the SVG `shapes` draw it; `title` is what it
/// says.
std::string HtmlBar(std::string_view title, std::string_view shapes) {
  return "<div class=\"bar\"><svg viewBox=\"0 0 1000 20\" preserveAspectRatio=\"none\" "
         "role=\"img\"><title>" +
         HtmlText(title, 200) + "</title><rect class=\"track\" width=\"1000\" height=\"20\"/>" +
         std::string(shapes) + "</svg></div>";
}

/// `<p class="CLASS">`; empty when `html` is.
std::string HtmlParagraph(std::string_view css, std::string_view html) {
  if (html.empty()) return "";
  return "<p class=\"" + std::string(css) + "\">" + std::string(html) + "</p>\n";
}

/// A heading that can be linked to, and what belongs under it; empty when `html` is.
std::string HtmlSection(std::string_view id, std::string_view title, std::string_view html) {
  if (html.empty()) return "";
  const std::string name(id);
  return "<section id=\"" + name + "\" aria-labelledby=\"" + name + "-h\"><h2 id=\"" + name +
         "-h\">" + HtmlText(title) + "</h2>\n" + std::string(html) + "</section>\n";
}

/// The whole page, in the reader's language. Its policy forbids what it does not need (scripts,
/// network, frames, forms), whatever a label value may contain. `css`: a class of its parts.
std::string HtmlPage(const Messages& t, std::string_view headline, std::string_view badge_html,
                     std::string_view header_html, std::string_view main_html, std::string css) {
  const std::string wide = css.empty() ? "" : " class=\"" + css + "\"";
  const std::string zone = t.zone().name.empty() ? "UTC" : t.zone().name;
  return fmt::format(fmt::runtime(PageTemplate()), t("report.language"),
                     EscapeHtml(ShortenToSentences(Visible(headline), 200)), HtmlStyle(),
                     css.empty() ? "" : " " + css,
                     HtmlText(t("report.kube_scheduler_latency_report")), badge_html,
                     HtmlProse(headline, 400), header_html, wide, main_html, wide,
                     HtmlText(t("page.numbers", zone)));
}

// Where the time of a scheduled pod went, and the tail, as rows of bars.

std::string X(double fraction) { return Coordinate(std::clamp(fraction, 0.0, 1.0) * 1000); }

std::string BarRect(const char* css, double fraction, double top, double height) {
  return HtmlRect(css, 0, std::clamp(fraction, 0.0, 1.0) * 1000, top, height);
}

std::string Indented(const StageLine& line) {
  return "<span style=\"padding-left:" + std::to_string(std::min(line.depth, 6)) + "em\">" +
         HtmlText(line.label, 80) + "</span>";
}

/// Now as a wide bar, in another colour where it is more than before; before as a thin one below.
std::string PerPodBars(const StagePerPod& stage, double greatest) {
  const double now = stage.now / greatest;
  if (!stage.before) return BarRect("now", now, 0, 20);
  const double before = *stage.before / greatest;
  return BarRect(HasGrown(stage) ? "more" : "now", now, 0, 13) +
         BarRect("now", std::min(now, before), 0, 13) + BarRect("was", before, 14.5, 5.5);
}

std::string PerPodRow(const Messages& t, const StagePerPod& stage, double greatest) {
  const std::string now = Milliseconds(stage.now);
  const std::string before = stage.before ? Milliseconds(*stage.before) : "";
  const std::string numbers = before.empty() ? now : before + " → " + now;
  const double excess = stage.now - stage.before.value_or(stage.now);
  return "<div class=\"stage\"><span class=\"name\">" + HtmlName(Shorten(Visible(stage.id), 80)) +
         "</span>" +
         HtmlBar(Visible(stage.id) + ": " + t("number.unit", numbers, "ms"),
                 PerPodBars(stage, greatest)) +
         "<span class=\"v\">" +
         (before.empty() ? "" : "<span class=\"soft\">" + HtmlText(before) + " →</span> ") + "<b>" +
         HtmlText(now) + "</b></span><span class=\"v excess\">" +
         (before.empty() ? "" : HtmlText((excess < 0 ? "" : "+") + Milliseconds(excess))) +
         "</span></div>\n";
}

std::string HtmlPerPodLegend(const Messages& t) {
  const auto key = [](const char* css, const std::string& label) {
    return "<li class=\"key-bar " + std::string(css) + "\">" + HtmlText(label) + "</li>";
  };
  return "<ul class=\"legend\">" + key("was", t("report.before")) + key("now", t("report.now")) +
         key("more", t("page.grown")) + "</ul>";
}

std::string HtmlStagesPerPod(const Messages& t, const Diagnosis& d) {
  constexpr std::size_t kMost = 8;
  const std::vector<StagePerPod> stages = StagesPerPod(d, kMost);
  if (stages.empty()) return "";
  double greatest = std::numeric_limits<double>::min();
  bool compared = false;
  for (const StagePerPod& stage : stages) {
    greatest = std::max({greatest, stage.now, stage.before.value_or(0)});
    compared = compared || stage.before.has_value();
  }
  std::string rows = "<div class=\"stage head\"><span>" + HtmlText(t("brief.per_pod")) +
                     "</span><span></span><span class=\"v\">" +
                     HtmlText(t(compared ? "page.before_now" : "report.now")) +
                     "</span><span class=\"v excess\">" +
                     (compared ? HtmlText(t("report.excess")) : "") + "</span></div>\n";
  for (const StagePerPod& stage : stages) rows += PerPodRow(t, stage, greatest);
  return "<div class=\"stages per-pod\">" + rows + "</div>\n" +
         (compared ? HtmlPerPodLegend(t) : "");
}

std::string HtmlTailBars(const Messages& t, const Diagnosis& d) {
  bool alone = false;
  std::string rows;
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    alone = alone || stage.sufficient;
    if (!stage.tail_time_share || IsIdle(stage)) continue;
    const Measured& tail = *stage.tail_time_share;
    const double low = std::clamp(tail.low.value_or(0), 0.0, 1.0);
    const double high = std::clamp(tail.high.value_or(1), 0.0, 1.0);
    std::string content = "<rect class=\"now\" fill-opacity=\".35\" x=\"" + X(low) +
                          "\" y=\"4\" width=\"" + Coordinate(std::max(2.0, (high - low) * 1000)) +
                          "\" height=\"12\"/>";
    if (tail.value) content += "<path class=\"dot\" d=\"M" + X(*tail.value) + " 1v18\"/>";
    rows +=
        "<div class=\"stage" + std::string(line.depth > 0 ? " deep" : "") + "\">" + Indented(line) +
        HtmlBar(Visible(line.name) + ": " + PercentRange(t, BoundsOf(tail)), content) +
        "<span class=\"v\">" + HtmlNumber(ShareCell(t, stage.tail_time_share)) +
        "</span><span class=\"v x\">" +
        (stage.sufficient ? HtmlNumber(ShareCell(t, stage.sufficient)) : "") + "</span></div>\n";
  }
  if (rows.empty()) return "";
  const std::string head =
      "<div class=\"stage head\"><span>" + HtmlText(t("report.stage")) + "</span><span>" +
      HtmlText(t("report.proven_interval_and_the_best_estimate")) + "</span><span class=\"v\">" +
      HtmlText(t("report.of_the_slowest_1")) + "</span><span class=\"v x\">" +
      (alone ? HtmlText(t("report.slow_alone")) : "") + "</span></div>\n";
  return "<div class=\"stages tail\">" + head + rows + "</div>\n";
}

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
  const bool incident = d.verdict == Verdict::kIncident && d.impact;
  if (incident && d.impact->pods_over_threshold.high != 0.0) {
    add(t("facts.pods_over", Seconds(t, d.impact->threshold)),
        BoundsCell(d.impact->pods_over_threshold));
  } else if (incident && StillWaiting(*d.impact) > 0) {
    add(t("facts.pods_waiting"), {Count(StillWaiting(*d.impact))});
  } else {
    add(t("report.total_time"), SecondsCell(t, d.e2e_seconds));
  }
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
    out += "<h4>" + HtmlText(t(heading)) + "</h4>";
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
    list("facts.measured", EvidenceItems(t, finding));
    list("finding.next.heading", StepItems(t, finding));
    out += "</li>\n";
  }
  return out + "</ol>\n";
}

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
  if (part.drawing == Drawing::kNumbers) html += HtmlNumbers(t, d);
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

std::string LeadHtml(const Messages& t, const Diagnosis& d) {
  const Section lead = LeadOf(t, d, ReportFormat::kHtml);
  std::string html;
  for (const Part& part : lead.parts) html += PartHtml(t, d, lead, part);
  return html;
}

std::string SplitCell(const std::string& heading, const std::string& html, const char* css = "") {
  return "<td" + (*css == '\0' ? "" : " class=\"" + std::string(css) + "\"") + " data-h=\"" +
         HtmlText(heading) + "\">" + html + "</td>";
}

std::string ProvenCell(const Messages& t, const Diagnosis& d) {
  if (!d.alert) return HtmlText(kUnknown);
  const std::string range = HtmlNumber(SecondsRangeCell(t, d.alert->interval));
  if (!d.alert->shown_proven_wrong) return range;
  return range + " <span class=\"soft\">" + HtmlText(t("facts.proven_wrong")) + "</span>";
}

/// Where seconds stand on the scale that all rows share: of powers of ten, as one scheduler may
/// take a thousand times what another takes.
struct Scale {
  double low = 0, high = 1;  ///< exponents of ten
  double Place(double seconds) const {
    if (!(seconds > 0)) return 0;
    return std::clamp((std::log10(seconds) - low) / (high - low), 0.0, 1.0) * 1000;
  }
};

Scale ScaleOf(const std::vector<DiagnosedPart>& parts) {
  double least = std::numeric_limits<double>::max(), most = 0;
  for (const DiagnosedPart& part : parts) {
    const auto whole = WholePerPod(part.diagnosis);
    if (!whole) continue;
    for (const double seconds : {whole->now, whole->before.value_or(whole->now)}) {
      if (seconds > 0) least = std::min(least, seconds);
      most = std::max(most, seconds);
    }
  }
  if (!(most > 0)) return {};
  const double low = std::floor(std::log10(least));
  return {low, std::max(low + 1, std::ceil(std::log10(most)))};
}

/// From before to now, with an edge at each.
std::string RangeShapes(const StagePerPod& whole, const Scale& scale) {
  const auto rect = [](const char* css, double from, double to) {
    return HtmlRect(css, from, to - from, 0, 20);
  };
  constexpr double kEdge = 8;
  const auto edge = [&](const char* css, double at) {
    const double from = std::clamp(at - kEdge / 2, 0.0, 1000 - kEdge);
    return rect(css, from, from + kEdge);
  };
  const double now = scale.Place(whole.now);
  if (!whole.before) return edge("now", now);
  const double before = scale.Place(*whole.before);
  const char* css = HasGrown(whole) ? "more" : "now";
  return rect(css, std::min(before, now), std::max(before, now)) + edge("was", before) +
         edge(css, now);
}

std::string PerPodCell(const Messages& t, const Diagnosis& d, const Scale& scale) {
  const auto whole = WholePerPod(d);
  if (!whole) return HtmlText(kUnknown);
  const std::string now = Milliseconds(whole->now);
  const std::string before = whole->before ? Milliseconds(*whole->before) + " → " : "";
  return HtmlBar(t("number.unit", before + now, "ms"), RangeShapes(*whole, scale)) +
         "<span class=\"v\"><span class=\"soft\">" + HtmlText(before) + "</span><b>" +
         HtmlText(now) + "</b></span>";
}

/// What a line of the table links to; empty for a diagnosis without anything to unfold.
std::string Anchor(const DiagnosedPart& part, std::size_t index) {
  if (!IsWorthAReport(part.diagnosis) && part.diagnosis.findings.empty()) return "";
  return "group-" + std::to_string(index + 1);
}

std::string Name(const DiagnosedPart& part, std::size_t index) {
  const std::string name = HtmlName(Shorten(Visible(part.value), 120));
  const std::string anchor = Anchor(part, index);
  return anchor.empty() ? name : "<a href=\"#" + anchor + "\">" + name + "</a>";
}

std::string SummaryTable(const Messages& t, const SplitDiagnosis& split) {
  const std::string shown = ShownHeading(t, split), proven = t("table.proven"),
                    attempts = t("table.attempts"), per_pod = t("brief.per_pod"),
                    verdict = t("table.verdict"), summary = t("table.summary");
  const Scale scale = ScaleOf(split.parts);
  std::string out = "<div class=\"scroll\"><table class=\"stacked groups\"><caption>" +
                    HtmlText(HeadlineOf(t, split)) + "</caption><thead><tr><th scope=\"col\">" +
                    HtmlText(split.label, 80) + "</th>";
  for (const std::string& heading : {verdict, summary, shown, proven, attempts, per_pod}) {
    const bool number = heading == shown || heading == proven || heading == attempts;
    out += std::string("<th scope=\"col\"") + (number ? " class=\"num\"" : "") + ">" +
           HtmlText(heading) + "</th>";
  }
  out += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < split.parts.size(); ++i) {
    const Diagnosis& d = split.parts[i].diagnosis;
    out += "<tr><th scope=\"row\">" + Name(split.parts[i], i) + "</th>" +
           SplitCell(verdict, HtmlVerdict(t, d)) +
           SplitCell(summary, "<span>" + HtmlProse(Headline(t, d), 300) + "</span>", "summary") +
           SplitCell(shown, HtmlNumber(SecondsCell(t, d.alert ? d.alert->shown : std::nullopt)),
                     "num") +
           SplitCell(proven, ProvenCell(t, d), "num") +
           SplitCell(attempts, HtmlNumber(CountCell(d.attempts)), "num") +
           SplitCell(per_pod, PerPodCell(t, d, scale), "per-pod-cell") + "</tr>\n";
  }
  return out + "</tbody></table></div>\n" + HtmlPerPodLegend(t) +
         HtmlParagraph("soft", HtmlText(t("page.log_scale", Milliseconds(std::pow(10, scale.low)),
                                          Milliseconds(std::pow(10, scale.high)))));
}

/// What was found in one of them.
std::string Fold(const Messages& t, const SplitDiagnosis& split, std::size_t index) {
  const DiagnosedPart& part = split.parts[index];
  const std::string anchor = Anchor(part, index);
  if (anchor.empty()) return "";
  const Diagnosis& d = part.diagnosis;
  std::vector<Item> warnings;
  for (const std::string& warning : RemarkLines(t, d.warnings)) warnings.push_back({warning});
  return "<details class=\"group\"><summary><code>" + HtmlText(PartName(split, part), 200) +
         "</code> " + HtmlVerdict(t, d) + "</summary><div id=\"" + anchor + "\"><p><b>" +
         HtmlProse(Headline(t, d), 400) + "</b></p>\n" + LeadHtml(t, d) + HtmlStagesPerPod(t, d) +
         HtmlFindings(t, d) + HtmlList(t, d.source, warnings) + "</div></details>\n";
}

}  // namespace

std::string RenderHtml(const Diagnosis& d, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  return HtmlPage(t, Headline(t, d), HtmlVerdict(t, d) + "\n", LeadHtml(t, d),
                  SectionsHtml(t, d, SectionsOf(t, d, ReportFormat::kHtml)), "");
}

std::string RenderHtml(const Against& against, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::vector<Item> notes;
  for (const std::string& note : t(against.notes)) notes.push_back({note});
  return HtmlPage(t, HeadlineOf(t, against), "", HtmlList(t, {}, notes),
                  SectionsHtml(t, against.now, SectionsOf(t, against, ReportFormat::kHtml)), "");
}

std::string RenderHtml(const SplitDiagnosis& split, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::string folds;
  for (std::size_t i = 0; i < split.parts.size(); ++i) folds += Fold(t, split, i);
  return HtmlPage(t, HeadlineOf(t, split), "", "",
                  SummaryTable(t, split) + HtmlSection("findings", t("report.findings"), folds),
                  "wide");
}

std::string RenderReportList(const std::vector<KeptReport>& reports, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  if (reports.empty()) return HtmlPage(t, t("page.no_reports"), "", "", "", "");
  std::string rows, head;
  for (const char* id : {"page.written", "page.report", "page.alert"}) {
    head += "<th scope=\"col\">" + HtmlText(t(id)) + "</th>";
  }
  for (const KeptReport& one : reports) {
    const std::string title = one.title_html.empty() ? HtmlName(one.name) : one.title_html;
    rows += "<tr><th scope=\"row\">" + HtmlText(Moment(one.written, t.zone())) +
            "</th><td><a href=\"" + HtmlText(one.url) + "\">" +
            (one.failure.empty() ? title : HtmlText(one.failure, 300)) + "</a></td><td>" +
            HtmlName(one.name) + "</td></tr>\n";
  }
  return HtmlPage(t, t("page.reports"), "", "",
                  "<div class=\"scroll\"><table><caption>" + HtmlText(t("page.reports")) +
                      "</caption><thead><tr>" + head + "</tr></thead><tbody>\n" + rows +
                      "</tbody></table></div>\n",
                  "wide");
}

}  // namespace schedlens
