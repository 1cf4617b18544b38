// The JSON form of `doctor`, schema schedlens.doctor/1.

#include "report/doctor.h"

#include "report/json/writer.h"

namespace schedlens {

void Fields(JsonWriter& json, const AbsentMetric& absent) {
  json("metric", absent.metric);
  json("expected", absent.expected);
}

void Fields(JsonWriter& json, const NeighbourFound& seen) {
  json("component", seen.component);
  json("jobs", seen.jobs);
  json("instances", seen.instances);
  json("missing", seen.missing);
}

void Fields(JsonWriter& json, const ScrapeConfiguration& configuration) {
  json("tool", configuration.tool);
  json("components", configuration.components);
  json("yaml", configuration.yaml);
}

std::string DoctorJson(const DoctorReport& report) {
  const auto members = [&](JsonWriter& json) {
    json("schema", "schedlens.doctor/1");
    json("diagnosable", report.diagnosable);
    json.Array("checks", [&] {
      for (const CheckUp& check : report.checks) {
        json.ObjectElement([&] {
          json("health", ToString(check.health));
          json("subject", check.subject);
          json.Text("text", "text_detail", check.text);
          json.Text("fix", "fix_detail", check.fix);
          json.Text("evidence", "evidence_detail", check.evidence);
        });
      }
    });
    json("neighbours", report.neighbours);
    json("scrape_configurations", report.configurations);
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

}  // namespace schedlens
