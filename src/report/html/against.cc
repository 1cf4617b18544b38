// Two diagnoses side by side as a page.

#include "report/against.h"

#include "report/against_tables.h"
#include "report/html/parts.h"

namespace schedlens {

std::string RenderHtml(const Against& against, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  const std::string headline = AgainstHeadline(t, against);
  std::vector<std::string> notes;
  for (const Message& note : against.notes) notes.push_back(HtmlProse(t(note), 400));
  std::string out = HtmlHead(t, headline) +
                    "<body>\n<header class=\"top\"><p class=\"brand\"><b>schedlens</b> " +
                    HtmlText(t("report.kube_scheduler_latency_report")) + "</p>\n<h1>" +
                    HtmlProse(headline, 400) + "</h1>\n";
  if (!notes.empty()) out += HtmlList(notes);
  out += "</header>\n<main>\n";
  out += HtmlSection("sides", t("against.sides"),
                     HtmlTable(t("against.sides"), SidesTable(t, against)));
  out += HtmlSection("stages", t("against.stages"),
                     HtmlTable(t("against.stages"), AgainstStagesTable(t, against)));
  out += HtmlSection("findings", t("against.findings"),
                     HtmlTable(t("against.findings"), AgainstFindingsTable(t, against)));
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace schedlens
