// The JSON contract: writing it.

#include "contract/report.h"
#include "messages/catalog.h"
#include "report/checked.h"
#include "report/escape.h"
#include "report/json/writer.h"

namespace schedlens {

namespace {

void WriteDiagnosis(JsonWriter& json, const Diagnosis& diagnosis) {
  json("schema", kDiagnosisSchema);
  Fields(json, diagnosis);
}

void WriteSummary(JsonWriter& json, const DiagnosedPart& part) {
  const Diagnosis& d = part.diagnosis;
  json("value", Visible(part.value));
  json("verdict", d.verdict);
  json("shown", d.alert ? d.alert->shown : std::nullopt);
  json("attempts", d.attempts);
  if (d.findings.empty()) {
    json.Null("finding");
  } else {
    json("finding", Visible(d.findings.front().id));
  }
  json("headline", Visible(InEnglish(d.headline)));
}

}  // namespace

std::string RenderJson(const Diagnosis& diagnosis) {
  return JsonWriter::Document(JsonStyle::kReport,
                              [&](JsonWriter& json) { WriteDiagnosis(json, diagnosis); }) +
         "\n";
}

std::string RenderJson(const SplitDiagnosis& split) {
  const auto members = [&](JsonWriter& json) {
    json("schema", "schedlens.diagnoses/1");
    json("label", Visible(split.label));
    json.Array("summary", [&] {
      for (const DiagnosedPart& part : split.parts) {
        json.RowElement([&] { WriteSummary(json, part); });
      }
    });
    json.Array("diagnoses", [&] {
      for (const DiagnosedPart& part : split.parts) {
        json.ObjectElement([&] { WriteDiagnosis(json, part.diagnosis); });
      }
    });
  };
  return JsonWriter::Document(JsonStyle::kReport, members) + "\n";
}

}  // namespace schedlens
