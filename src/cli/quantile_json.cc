// The JSON form of `quantile`, schema schedlens.quantile/1.

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/quantile_output.h"

namespace schedlens {
namespace {

using Json = nlohmann::ordered_json;

Json Number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json EndsOf(const Interval& interval) {
  return Json{{"low", Number(interval.low)}, {"high", Number(interval.high)}};
}

Json LabelsOf(const Labels& labels) {
  Json out = Json::object();
  for (const auto& [name, value] : labels) out[name] = value;
  return out;
}

Json ThresholdOf(const ThresholdExplanation& threshold) {
  const ThresholdVerdict& verdict = threshold.verdict;
  Json out;
  out["comparison"] = threshold.comparison;
  out["threshold"] = Number(threshold.threshold);
  out["decided"] = verdict.decided ? Json(ToString(*verdict.decided)) : Json(nullptr);
  out["observations_above"] = {{"low", verdict.above.low}, {"high", verdict.above.high}};
  out["inside_bucket"] = verdict.inside_bucket;
  out["can_never_fire"] = verdict.can_never_fire;
  out["decidable"] = {{"below", Number(verdict.decidable_below)},
                      {"above", Number(verdict.decidable_above)}};
  out["notes"] = threshold.notes;
  return out;
}

Json QuantileJsonOf(const QuantileExplanation& row) {
  const ProvenQuantile& proven = row.proven;
  Json out;
  out["schema"] = "schedlens.quantile/1";
  out["metric"] = row.metric;
  out["labels"] = LabelsOf(row.labels);
  out["q"] = Number(row.q);
  out["observations"] = Number(proven.observations);
  out["shown"] = Number(row.shown);
  out["rank"] = Number(proven.rank);
  out["bucket"] = EndsOf(proven.proof.bucket);
  out["bucket"]["count"] = Number(proven.proof.in_bucket);
  out["interval"] = EndsOf(proven.proof.interval);
  out["interval"]["basis"] = proven.basis;
  out["estimate"] = {{"value", Number(row.estimate.value)},
                     {"low", Number(row.estimate.low)},
                     {"high", Number(row.estimate.high)},
                     {"unit", "s"},
                     {"basis", row.estimate.basis}};
  out["sampling_interval"] = EndsOf(row.sampling);
  out["sampling_interval"]["confidence"] = 0.95;
  out["reasons"] = row.reasons;
  out["narrower"] = proven.narrower;
  if (row.threshold) out["alert"] = ThresholdOf(*row.threshold);
  return out;
}

}  // namespace

std::string QuantileJson(const QuantileReport& report, const std::vector<ServerValue>& servers) {
  Json out = QuantileJsonOf(report.rows.front());
  const auto seconds = [](TimeMs t) { return static_cast<double>(t) / 1000.0; };
  out["window"] = {{"start", seconds(report.seen.start)}, {"end", seconds(report.seen.end)}};
  if (report.rows.size() > 1) {
    for (const QuantileExplanation& row : report.rows) out["groups"].push_back(QuantileJsonOf(row));
  }
  for (const ServerValue& server : servers) {
    out["servers"].push_back({{"semantics", server.semantics}, {"value", Number(server.value)}});
  }
  out["warnings"] = report.warnings;
  out["queries"] = report.queries;
  // Label values may be any bytes; a report must not fail over one that is not UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace schedlens
