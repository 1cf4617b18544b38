// The report as one page: no script, no network, readable from a phone to paper.

#include <vector>

#include "contract/report.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/messages/messages.h"
#include "report/messages/wording.h"

namespace schedlens {

namespace {

struct PageSection {
  std::string id, title, html;
};

std::vector<PageSection> Sections(const Messages& t, const Diagnosis& d) {
  return {{"stages", t("report.stages"), HtmlStages(t, d)},
          {"findings", t("report.findings"), HtmlFindings(t, d)},
          {"impact", t("impact.heading"), HtmlImpact(t, d)},
          {"changes", t("changes.heading"), HtmlChanges(t, d)},
          {"alert", HtmlAlertTitle(t, d), HtmlAlert(t, d)},
          {"heatmap", t("report.heatmap"), HtmlHeatmap(t, d)},
          {"tail", t("report.tail"), HtmlTail(t, d)},
          {"inversion", t("report.inversion"), HtmlInversion(t, d)},
          {"quantiles", t("report.quantiles"), HtmlQuantiles(t, d)},
          {"plugins", t("report.plugins"), HtmlPlugins(t, d)},
          {"queue", t("report.queue"), HtmlQueue(t, d)},
          {"cross-check", t("report.cross_check"), HtmlCrossCheck(t, d)},
          {"timeline", t("report.timeline"), HtmlTimeline(t, d)},
          {"post-mortem", t("report.post_mortem"), HtmlPostMortem(t, d)},
          {"appendix", t("report.appendix"), HtmlAppendix(t, d)}};
}

}  // namespace

std::string RenderHtml(const Diagnosis& d, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::string links;
  std::string body;
  for (const PageSection& section : Sections(t, d)) {
    if (section.html.empty()) continue;
    links += "<li><a href=\"#" + section.id + "\">" + HtmlText(section.title) + "</a></li>";
    body += section.html;
  }
  return HtmlHead(t, Headline(t, d)) + "<body>\n" + HtmlHeader(t, d) +
         "<main>\n<nav aria-label=\"" + HtmlText(t("report.contents")) + "\"><ul>" + links +
         "</ul></nav>\n" + body + "</main>\n<footer>" + HtmlNumbers(t) +
         "</footer>\n</body>\n</html>\n";
}

}  // namespace schedlens
