// What the commands beside `diagnose` print as JSON: compare, doctor, quantile, whatif, and two
// diagnoses side by side.

#include "report/commands.h"

#include "messages/catalog.h"
#include "report/json/json.h"

namespace schedlens {
namespace {

Json SideOf(const Diagnosis& d) {
  Json quantile;
  if (d.alert) {
    quantile = {{"metric", d.alert->metric},       {"q", d.alert->quantile},
                {"shown", d.alert->shown},         {"interval", d.alert->interval},
                {"threshold", d.alert->threshold}, {"decided", d.alert->decided}};
  }
  return With(With({{"verdict", d.verdict}}, TextMembers("headline", d.headline)),
              {{"source", d.source.name},
               {"release", d.release},
               {"window", d.window},
               {"attempts", d.attempts},
               {"e2e_seconds", d.e2e_seconds},
               {"quantile", std::move(quantile)}});
}

Json IntervalOf(const ProvenQuantile& proven) {
  return With(proven.proof.interval, {{"basis", proven.basis}});
}

Json SideOf(const QuantileExplanation& row, const std::optional<double>& rate) {
  return {{"metric", row.metric},
          {"labels", row.labels},
          {"q", row.q},
          {"observations", row.proven.observations},
          {"shown", row.shown},
          {"shown_by_rate", rate},
          {"interval", IntervalOf(row.proven)}};
}

Json AlertOf(const ThresholdExplanation& threshold) {
  const ThresholdVerdict& verdict = threshold.verdict;
  return {{"comparison", threshold.comparison},
          {"threshold", threshold.threshold},
          {"decided", verdict.decided},
          {"observations_above", {{"low", verdict.above.low}, {"high", verdict.above.high}}},
          {"inside_bucket", verdict.inside_bucket},
          {"can_never_fire", verdict.can_never_fire},
          {"decidable", {{"below", verdict.decidable_below}, {"above", verdict.decidable_above}}},
          {"notes", InEnglish(threshold.notes)}};
}

Json RowOf(const QuantileExplanation& row) {
  const ProvenQuantile& proven = row.proven;
  Json json = {{"schema", "schedlens.quantile/1"},
               {"metric", row.metric},
               {"labels", row.labels},
               {"q", row.q},
               {"observations", proven.observations},
               {"shown", row.shown},
               {"rank", proven.rank},
               {"bucket", With(proven.proof.bucket, {{"count", proven.proof.in_bucket}})},
               {"interval", IntervalOf(proven)},
               {"estimate",
                {{"value", row.estimate.value},
                 {"low", row.estimate.low},
                 {"high", row.estimate.high},
                 {"unit", "s"},
                 {"basis", row.estimate.basis}}},
               {"sampling_interval", With(row.sampling, {{"confidence", 0.95}})}};
  json.update(TextMembers("reasons", row.reasons));
  json["narrower"] = InEnglish(proven.narrower);
  if (row.threshold) json["alert"] = AlertOf(*row.threshold);
  return json;
}

Json RowsOf(const std::vector<PredictedChange>& rows) {
  Json json = Json::array();
  for (const PredictedChange& row : rows) {
    json.push_back({{"q", row.q}, {"before", row.before}, {"after", row.after}});
  }
  return json;
}

Json LoadOf(const Utilisation& load) { return {{"loop", load.loop}, {"client", load.client}}; }

Json LoadOf(const Utilisation& load, double qps) {
  return With(LoadOf(load),
              {{"client_qps", qps}, {"wait_grows_seconds_a_minute", load.WaitGrowth()}});
}

}  // namespace

std::string RenderJson(const Against& against) {
  Json stages = Json::array(), findings = Json::array();
  for (const AgainstStage& stage : against.stages) {
    stages.push_back({{"id", stage.id},
                      {"depth", stage.depth},
                      {"seconds_per_pod_then", stage.then},
                      {"seconds_per_pod_now", stage.now}});
  }
  for (const AgainstFinding& one : against.findings) {
    findings.push_back(With(
        With({{"fate", one.fate}, {"id", one.id}, {"object", one.object}, {"behind", one.behind}},
             TextMembers("title", one.title)),
        {{"confidence_then", one.confidence_then},
         {"confidence_now", one.confidence_now},
         {"share_then", one.share_then},
         {"share_now", one.share_now}}));
  }
  return TextOf(With({{"schema", "schedlens.against/1"},
                      {"then", SideOf(against.then)},
                      {"now", SideOf(against.now)},
                      {"stages", std::move(stages)},
                      {"findings", std::move(findings)}},
                     TextMembers("notes", against.notes)));
}

std::string CompareJson(const Comparison& comparison) {
  Json witness, cases = Json::array(), proven;
  if (const auto& w = comparison.witness) {
    witness = {{"bound", w->bound},
               {"part_above", w->part_above},
               {"whole_above", w->whole_above},
               {"only_in_part_at_least", w->part_only},
               {"only_in_whole_at_least", w->whole_only}};
  }
  for (const ComparedCase& one : comparison.cases) {
    cases.push_back(With({{"number", one.number}, {"id", one.id}, {"outcome", one.outcome}},
                         TextMembers("text", one.text)));
    if (one.outcome == CaseOutcome::kProven) proven = one.id;  // the one that ended the walk
  }
  Json json = {{"schema", "schedlens.compare/1"},
               {"part", SideOf(comparison.part, comparison.part_rate)},
               {"whole", SideOf(comparison.whole, comparison.whole_rate)},
               {"inverted", comparison.inverted},
               {"inverted_by_rate", comparison.rate_inverted},
               {"witness", std::move(witness)},
               {"cases", std::move(cases)},
               {"proven", std::move(proven)}};
  json.update(TextMembers("verdict", comparison.verdict));
  json.update(TextMembers("believe", comparison.believe));
  json["same_attempts_above"] = comparison.same_above;
  json["same_attempts"] =
      comparison.same_above ? std::optional(comparison.same_count) : std::nullopt;
  json.update(TextMembers("warnings", comparison.warnings));
  json["queries"] = comparison.queries;
  return TextOf(json);
}

std::string DoctorJson(const DoctorReport& report) {
  Json checks = Json::array(), neighbours = Json::array(), configurations = Json::array();
  for (const CheckUp& check : report.checks) {
    Json& json = checks.emplace_back(Json{{"health", check.health}, {"subject", check.subject}});
    json.update(TextMembers("text", check.text));
    json.update(TextMembers("fix", check.fix));
    json.update(TextMembers("evidence", check.evidence));
  }
  for (const NeighbourFound& seen : report.neighbours) {
    Json missing = Json::array();
    for (const AbsentMetric& absent : seen.missing) {
      missing.push_back({{"metric", absent.metric}, {"expected", absent.expected}});
    }
    neighbours.push_back({{"component", seen.component},
                          {"jobs", seen.jobs},
                          {"instances", seen.instances},
                          {"missing", std::move(missing)}});
  }
  for (const ScrapeConfiguration& one : report.configurations) {
    configurations.push_back(
        {{"tool", one.tool}, {"components", one.components}, {"yaml", one.yaml}});
  }
  return TextOf({{"schema", "schedlens.doctor/1"},
                 {"diagnosable", report.diagnosable},
                 {"checks", std::move(checks)},
                 {"neighbours", std::move(neighbours)},
                 {"scrape_configurations", std::move(configurations)}});
}

std::string QuantileJson(const QuantileReport& report, const std::vector<ServerValue>& servers) {
  Json json = RowOf(report.rows.front());
  json["window"] = report.seen;
  if (report.rows.size() > 1) {
    for (const QuantileExplanation& row : report.rows) json["groups"].push_back(RowOf(row));
  }
  for (const ServerValue& server : servers) {
    json["servers"].push_back({{"semantics", server.semantics}, {"value", server.value}});
  }
  json["warnings"] = InEnglish(report.warnings);
  json["queries"] = report.queries;
  return TextOf(json);
}

std::string PredictionJson(const Prediction& p) {
  Json json = {{"schema", "schedlens.whatif/1"},
               {"verdict", p.undecidable ? "undecidable" : "predicted"}};
  json.update(TextMembers("refused", p.refused));
  json.update({{"e2e", RowsOf(p.e2e)},
               {"pod", RowsOf(p.pod)},
               {"threshold", p.threshold},
               {"alert", {{"metric", p.alert_metric}, {"q", p.alert_quantile}}},
               {"fires", {{"before", p.fires_before}, {"after", p.fires_after}}},
               {"utilisation",
                {{"before", LoadOf(p.before, p.qps)}, {"after", LoadOf(p.after, p.qps_after)}}},
               {"seeds", p.seeds}});
  return TextOf(With(std::move(json), TextMembers("assumptions", p.assumptions)));
}

std::string HeadroomJson(const Headroom& h) {
  Json json = {{"schema", "schedlens.headroom/1"},
               {"verdict", h.refused.empty() ? "predicted" : "undecidable"}};
  json.update(TextMembers("refused", h.refused));
  json.update({{"of", h.what},
               {"now", h.now},
               {"target", {{"metric", h.metric}, {"q", h.q}, {"seconds", h.target}}},
               {"factor", h.factor},
               {"most_tried", h.most},
               {"limit", h.limit},
               {"client_qps", h.qps},
               {"utilisation", {{"now", LoadOf(h.before)}, {"there", LoadOf(h.there)}}}});
  json.update(TextMembers("moves", h.moves));
  return TextOf(With(std::move(json), TextMembers("assumptions", h.assumptions)));
}

}  // namespace schedlens
