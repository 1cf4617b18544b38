// The report as one page: no script, no network, readable from a phone to paper.

#include <vector>

#include "contract/report.h"
#include "report/canonical.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/html/style.h"
#include "report/messages/messages.h"
#include "report/messages/sentences.h"
#include "report/messages/wording.h"

namespace schedlens {

namespace {

struct PageSection {
  std::string id, title, html;
};

std::vector<PageSection> Sections(const Messages& t, const Diagnosis& d) {
  return {{"findings", t("Findings"), HtmlFindings(t, d)},
          {"alert", t("The alert"), HtmlAlert(t, d)},
          {"heatmap", t("Heatmap"), HtmlHeatmap(t, d)},
          {"stages", t("Stages"), HtmlStages(t, d)},
          {"tail", t("Tail"), HtmlTail(t, d)},
          {"inversion", t("Inversion"), HtmlInversion(t, d)},
          {"quantiles", t("Quantiles"), HtmlQuantiles(t, d)},
          {"plugins", t("Plugins"), HtmlPlugins(t, d)},
          {"queue", t("Queue"), HtmlQueue(t, d)},
          {"cross-check", t("Cross-check"), HtmlCrossCheck(t, d)},
          {"timeline", t("Timeline"), HtmlTimeline(t, d)},
          {"post-mortem", t("Post-mortem"), HtmlPostMortem(t, d)},
          {"appendix", t("Appendix"), HtmlAppendix(t, d)}};
}

std::string Head(const Messages& t, const Diagnosis& d) {
  // The policy forbids what the page does not need, whatever a label value may contain.
  return "<!DOCTYPE html>\n<html lang=\"" + std::string(t.tag()) +
         "\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" "
         "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
         "form-action 'none'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"referrer\" content=\"no-referrer\">\n<title>" +
         HtmlText(Headline(t, d), 150) + "</title>\n<style>" + std::string(HtmlStyle()) +
         "</style>\n</head>\n";
}

}  // namespace

std::string RenderHtml(const Diagnosis& diagnosis, const RenderOptions& options) {
  const Messages t(options.lang);
  const Diagnosis d = InLanguage(t, Canonical(diagnosis));
  std::string links;
  std::string body;
  for (const PageSection& section : Sections(t, d)) {
    if (section.html.empty()) continue;
    links += "<li><a href=\"#" + section.id + "\">" + HtmlText(section.title) + "</a></li>";
    body += section.html;
  }
  return Head(t, d) + "<body>\n" + HtmlHeader(t, d) + "<main>\n<nav aria-label=\"" +
         HtmlText(t("Contents")) + "\"><ul>" + links + "</ul></nav>\n" + body +
         "</main>\n<footer>" +
         HtmlText(t("Every number carries its exact value; bounds are proven unless marked as an "
                    "estimate. All times are UTC.")) +
         "</footer>\n</body>\n</html>\n";
}

}  // namespace schedlens
