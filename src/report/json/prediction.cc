// The JSON form of `whatif`, schema schedlens.whatif/1.

#include "report/prediction.h"

#include "report/json/writer.h"

namespace schedlens {
namespace {

void WriteRows(JsonWriter& json, const char* key, const std::vector<PredictedChange>& rows) {
  json.Array(key, [&] {
    for (const PredictedChange& row : rows) {
      json.ObjectElement([&] {
        json("q", row.q);
        json("before", row.before);
        json("after", row.after);
      });
    }
  });
}

void WriteLoad(JsonWriter& json, const char* key, const Utilisation& load, double qps) {
  json.Object(key, [&] {
    json("loop", load.loop);
    json("client", load.client);
    json("client_qps", qps);
    json("wait_grows_seconds_a_minute", load.WaitGrowth());
  });
}

}  // namespace

std::string PredictionJson(const Prediction& prediction) {
  const auto members = [&](JsonWriter& json) {
    json("schema", "schedlens.whatif/1");
    json("verdict", prediction.undecidable ? "undecidable" : "predicted");
    json.Texts("refused", "refused_details", prediction.refused);
    WriteRows(json, "e2e", prediction.e2e);
    WriteRows(json, "pod", prediction.pod);
    json("threshold", prediction.threshold);
    json.Object("alert", [&] {
      json("metric", prediction.alert_metric);
      json("q", prediction.alert_quantile);
    });
    json.Object("fires", [&] {
      json("before", prediction.fires_before);
      json("after", prediction.fires_after);
    });
    json.Object("utilisation", [&] {
      WriteLoad(json, "before", prediction.before, prediction.qps);
      WriteLoad(json, "after", prediction.after, prediction.qps_after);
    });
    json("seeds", prediction.seeds);
    json.Texts("assumptions", "assumption_details", prediction.assumptions);
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

}  // namespace schedlens
