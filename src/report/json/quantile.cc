// The JSON form of `quantile`, schema schedlens.quantile/1.

#include "report/quantile.h"

#include "messages/catalog.h"
#include "report/json/writer.h"

namespace schedlens {
namespace {

void WriteThreshold(JsonWriter& json, const ThresholdExplanation& threshold) {
  const ThresholdVerdict& verdict = threshold.verdict;
  json("comparison", threshold.comparison);
  json("threshold", threshold.threshold);
  json("decided", verdict.decided);
  json.Object("observations_above", [&] {
    json("low", verdict.above.low);
    json("high", verdict.above.high);
  });
  json("inside_bucket", verdict.inside_bucket);
  json("can_never_fire", verdict.can_never_fire);
  json.Object("decidable", [&] {
    json("below", verdict.decidable_below);
    json("above", verdict.decidable_above);
  });
  json("notes", InEnglish(threshold.notes));
}

void WriteRow(JsonWriter& json, const QuantileExplanation& row) {
  const ProvenQuantile& proven = row.proven;
  json("schema", "schedlens.quantile/1");
  json("metric", row.metric);
  json("labels", row.labels);
  json("q", row.q);
  json("observations", proven.observations);
  json("shown", row.shown);
  json("rank", proven.rank);
  json.Object("bucket", [&] {
    Fields(json, proven.proof.bucket);
    json("count", proven.proof.in_bucket);
  });
  json.Object("interval", [&] {
    Fields(json, proven.proof.interval);
    json("basis", proven.basis);
  });
  json.Object("estimate", [&] {
    json("value", row.estimate.value);
    json("low", row.estimate.low);
    json("high", row.estimate.high);
    json("unit", "s");
    json("basis", row.estimate.basis);
  });
  json.Object("sampling_interval", [&] {
    Fields(json, row.sampling);
    json("confidence", 0.95);
  });
  json.Texts("reasons", "reason_details", row.reasons);
  json("narrower", InEnglish(proven.narrower));
  if (row.threshold) json.Object("alert", [&] { WriteThreshold(json, *row.threshold); });
}

}  // namespace

std::string QuantileJson(const QuantileReport& report, const std::vector<ServerValue>& servers) {
  const auto members = [&](JsonWriter& json) {
    WriteRow(json, report.rows.front());
    json("window", report.seen);
    if (report.rows.size() > 1) {
      json.Array("groups", [&] {
        for (const QuantileExplanation& row : report.rows) {
          json.ObjectElement([&] { WriteRow(json, row); });
        }
      });
    }
    if (!servers.empty()) {
      json.Array("servers", [&] {
        for (const ServerValue& server : servers) {
          json.ObjectElement([&] {
            json("semantics", server.semantics);
            json("value", server.value);
          });
        }
      });
    }
    json("warnings", InEnglish(report.warnings));
    json("queries", report.queries);
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

}  // namespace schedlens
