// Many diagnoses as one page: a line for each, worst first, and below it what was found, folded.

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/escape.h"
#include "report/format.h"
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/messages/wording.h"
#include "report/sections.h"
#include "report/stages.h"
#include "report/tables.h"

namespace schedlens {
namespace {

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
    return "<rect class=\"" + std::string(css) + "\" x=\"" + Coordinate(from) +
           "\" y=\"0\" width=\"" + Coordinate(to - from) + "\" height=\"20\"/>";
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
         HtmlProse(Headline(t, d), 400) + "</b></p>\n" + HtmlNumbers(t, d) +
         HtmlFacts(LeadOf(t, d, ReportFormat::kHtml).parts.back().facts) + HtmlStagesPerPod(t, d) +
         HtmlFindings(t, d) + HtmlList(t, d.source, warnings) + "</div></details>\n";
}

}  // namespace

std::string RenderHtml(const SplitDiagnosis& split, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::string folds;
  for (std::size_t i = 0; i < split.parts.size(); ++i) folds += Fold(t, split, i);
  return HtmlPage(t, HeadlineOf(t, split), "", "",
                  SummaryTable(t, split) + HtmlSection("findings", t("report.findings"), folds),
                  "wide");
}

}  // namespace schedlens
