// The incident window as the body of Grafana's POST /api/annotations.

#include "contract/report.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/json/writer.h"
#include "report/messages/messages.h"
#include "report/messages/wording.h"

namespace schedlens {

std::string RenderGrafanaAnnotation(const Diagnosis& d) {
  const Messages t{"en"};
  // Grafana shows the text as sanitised HTML.
  std::string text = EscapeHtml(Shorten(Visible(Headline(t, d)), 500));
  std::vector<std::string> tags = {"schedlens", ToString(d.verdict)};
  for (const Finding& finding : d.findings) {
    text += "<br>" + EscapeHtml(Shorten(Visible(t(finding.title)), 200)) + " (" +
            ConfidenceWord(t, finding.confidence) + ")";
    tags.push_back(Shorten(Visible(finding.id), 60));
  }
  const auto members = [&](JsonWriter& json) {
    json("time", d.window.start);
    json("timeEnd", d.window.end);
    json("tags", tags);
    json("text", text);
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

}  // namespace schedlens
