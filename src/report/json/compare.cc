// The JSON form of `compare`, schema schedlens.compare/1.

#include "report/compare.h"

#include "report/json/writer.h"

namespace schedlens {
namespace {

void WriteSide(JsonWriter& json, const QuantileExplanation& row,
               const std::optional<double>& rate) {
  json("metric", row.metric);
  json("labels", row.labels);
  json("q", row.q);
  json("observations", row.proven.observations);
  json("shown", row.shown);
  json("shown_by_rate", rate);
  json.Object("interval", [&] {
    Fields(json, row.proven.proof.interval);
    json("basis", row.proven.basis);
  });
}

void WriteWitness(JsonWriter& json, const Witness& witness) {
  json("bound", witness.bound);
  json("part_above", witness.part_above);
  json("whole_above", witness.whole_above);
  json("only_in_part_at_least", witness.part_only);
  json("only_in_whole_at_least", witness.whole_only);
}

void WriteCase(JsonWriter& json, const ComparedCase& one) {
  json("number", one.number);
  json("id", one.id);
  json("outcome", ToString(one.outcome));
  json.Text("text", "text_detail", one.text);
}

/// The case that ended the walk.
std::optional<std::string> Proven(const Comparison& comparison) {
  std::optional<std::string> proven;
  for (const ComparedCase& one : comparison.cases) {
    if (one.outcome == CaseOutcome::kProven) proven = one.id;
  }
  return proven;
}

}  // namespace

std::string CompareJson(const Comparison& comparison) {
  const auto members = [&](JsonWriter& json) {
    json("schema", "schedlens.compare/1");
    json.Object("part", [&] { WriteSide(json, comparison.part, comparison.part_rate); });
    json.Object("whole", [&] { WriteSide(json, comparison.whole, comparison.whole_rate); });
    json("inverted", comparison.inverted);
    json("inverted_by_rate", comparison.rate_inverted);
    if (comparison.witness) {
      json.Object("witness", [&] { WriteWitness(json, *comparison.witness); });
    } else {
      json.Null("witness");
    }
    json.Array("cases", [&] {
      for (const ComparedCase& one : comparison.cases) {
        json.ObjectElement([&] { WriteCase(json, one); });
      }
    });
    json("proven", Proven(comparison));
    json.Text("verdict", "verdict_detail", comparison.verdict);
    json.Texts("believe", "believe_details", comparison.believe);
    json("same_attempts_above", comparison.same_above);
    const bool same = comparison.same_above.has_value();
    json("same_attempts", same ? std::optional(comparison.same_count) : std::nullopt);
    json.Texts("warnings", "warning_details", comparison.warnings);
    json("queries", comparison.queries);
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

}  // namespace schedlens
