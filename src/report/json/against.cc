// Two diagnoses side by side, schema schedlens.against/1.

#include "report/against.h"

#include "messages/catalog.h"
#include "report/json/writer.h"

namespace schedlens {
namespace {

void WriteSide(JsonWriter& json, const Diagnosis& d) {
  json("verdict", d.verdict);
  json.Text("headline", "headline_detail", d.headline);
  json("source", d.source.name);
  json("release", d.release);
  json.Object("window", [&] {
    json.Time("start", d.window.start);
    json.Time("end", d.window.end);
  });
  json("attempts", d.attempts);
  json("e2e_seconds", d.e2e_seconds);
  if (!d.alert) return json.Null("quantile");
  json.Object("quantile", [&] {
    json("metric", d.alert->metric);
    json("q", d.alert->quantile);
    json("shown", d.alert->shown);
    json("interval", d.alert->interval);
    json("threshold", d.alert->threshold);
    json("decided", d.alert->decided);
  });
}

void WriteStage(JsonWriter& json, const AgainstStage& stage) {
  json("id", stage.id);
  json("depth", stage.depth);
  json("seconds_per_pod_then", stage.then);
  json("seconds_per_pod_now", stage.now);
}

void WriteFinding(JsonWriter& json, const AgainstFinding& one) {
  json("fate", ToString(one.fate));
  json("id", one.id);
  json("object", one.object);
  json("behind", one.behind);
  json.Text("title", "title_detail", one.title);
  json("confidence_then", one.confidence_then);
  json("confidence_now", one.confidence_now);
  json("share_then", one.share_then);
  json("share_now", one.share_now);
}

}  // namespace

std::string RenderJson(const Against& against) {
  const auto members = [&](JsonWriter& json) {
    json("schema", "schedlens.against/1");
    json.Object("then", [&] { WriteSide(json, against.then); });
    json.Object("now", [&] { WriteSide(json, against.now); });
    json.Array("stages", [&] {
      for (const AgainstStage& stage : against.stages) {
        json.ObjectElement([&] { WriteStage(json, stage); });
      }
    });
    json.Array("findings", [&] {
      for (const AgainstFinding& one : against.findings) {
        json.ObjectElement([&] { WriteFinding(json, one); });
      }
    });
    json.Texts("notes", "note_details", against.notes);
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

}  // namespace schedlens
