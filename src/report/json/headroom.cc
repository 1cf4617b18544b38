// The JSON form of `whatif --headroom`, schema schedlens.headroom/1.

#include "report/json/writer.h"
#include "report/prediction.h"

namespace schedlens {

std::string HeadroomJson(const Headroom& headroom) {
  const auto load = [](JsonWriter& json, const char* key, const Utilisation& of) {
    json.Object(key, [&] {
      json("loop", of.loop);
      json("client", of.client);
    });
  };
  const auto members = [&](JsonWriter& json) {
    json("schema", "schedlens.headroom/1");
    json("verdict", headroom.refused.empty() ? "predicted" : "undecidable");
    json.Texts("refused", "refused_details", headroom.refused);
    json("of", headroom.what);
    json("now", headroom.now);
    json.Object("target", [&] {
      json("metric", headroom.metric);
      json("q", headroom.q);
      json("seconds", headroom.target);
    });
    json("factor", headroom.factor);
    json("most_tried", headroom.most);
    json("limit", headroom.limit);
    json("client_qps", headroom.qps);
    json.Object("utilisation", [&] {
      load(json, "now", headroom.before);
      load(json, "there", headroom.there);
    });
    json.Texts("moves", "move_details", headroom.moves);
    json.Texts("assumptions", "assumption_details", headroom.assumptions);
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

}  // namespace schedlens
