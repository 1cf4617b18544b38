// What the commands beside `diagnose` print as JSON: compare, doctor, lint, quantile, query,
// whatif, and two diagnoses side by side.

#include "report/commands.h"

#include "report/format.h"
#include "report/json/json.h"

namespace schedlens {
namespace {

Json SideOf(const Diagnosis& d) {
  Json quantile;
  if (const auto& alert = d.alert) {
    quantile =
        Object("metric", alert->metric, "q", alert->quantile, "shown", alert->shown, "interval",
               alert->interval, "threshold", alert->threshold, "decided", alert->decided);
  }
  return Object("verdict", d.verdict, "headline", d.headline, "source", d.source.name, "release",
                d.release, "window", d.window, "attempts", d.attempts, "e2e_seconds", d.e2e_seconds,
                "quantile", quantile);
}

Json IntervalOf(const ProvenQuantile& proven) {
  const Interval& interval = proven.proof.interval;
  return Object("low", interval.low, "high", interval.high, "basis", proven.basis);
}

Json SideOf(const QuantileExplanation& row, const std::optional<double>& rate) {
  return Object("metric", row.metric, "labels", row.labels, "q", row.q, "observations",
                row.proven.observations, "shown", row.shown, "shown_by_rate", rate, "interval",
                IntervalOf(row.proven));
}

Json AlertOf(const ThresholdExplanation& threshold) {
  const ThresholdVerdict& verdict = threshold.verdict;
  return Object("comparison", threshold.comparison, "threshold", threshold.threshold, "decided",
                verdict.decided, "observations_above",
                Object("low", verdict.above.low, "high", verdict.above.high), "inside_bucket",
                verdict.inside_bucket, "can_never_fire", verdict.can_never_fire, "decidable",
                Object("below", verdict.decidable_below, "above", verdict.decidable_above), "notes",
                InEnglish(threshold.notes));
}

Json RowOf(const QuantileExplanation& row) {
  const ProvenQuantile& proven = row.proven;
  const Interval& bucket = proven.proof.bucket;
  const Measured& estimate = row.estimate;
  Json json = Object(
      "schema", "schedlens.quantile/1", "metric", row.metric, "labels", row.labels, "q", row.q,
      "observations", proven.observations, "shown", row.shown, "rank", proven.rank, "bucket",
      Object("low", bucket.low, "high", bucket.high, "count", proven.proof.in_bucket), "interval",
      IntervalOf(proven), "estimate",
      Object("value", estimate.value, "low", estimate.low, "high", estimate.high, "unit", "s",
             "basis", estimate.basis),
      "sampling_interval",
      Object("low", row.sampling.low, "high", row.sampling.high, "confidence", 0.95), "reasons",
      row.reasons, "narrower", InEnglish(proven.narrower));
  if (row.threshold) json["alert"] = AlertOf(*row.threshold);
  return json;
}

Json RowsOf(const std::vector<PredictedChange>& rows) {
  return EachOf(rows, [](const PredictedChange& row) {
    return Object("q", row.q, "before", row.before, "after", row.after);
  });
}

Json LoadOf(const Utilisation& load) { return Object("loop", load.loop, "client", load.client); }

Json LoadOf(const Utilisation& load, double qps) {
  return Object("loop", load.loop, "client", load.client, "client_qps", qps,
                "wait_grows_seconds_a_minute", load.WaitGrowth());
}

std::string ApiTime(TimeMs t) {
  const TimeMs size = t < 0 ? -t : t;
  const std::string whole = fmt::format("{}{}", t < 0 ? "-" : "", size / 1000);
  return size % 1000 == 0 ? whole : whole + fmt::format(".{:03}", size % 1000);
}

std::string TextOfPoint(const Sample& sample) {
  return fmt::format("[{},\"{}\"]", ApiTime(sample.t), FormatNumber(sample.v));
}

std::string TextOfPoint(const NativeSample& sample) {
  std::vector<std::string> buckets;
  for (const NativeBucket& bucket : sample.h.buckets) {
    buckets.push_back(fmt::format("[{},\"{}\",\"{}\",\"{}\"]", bucket.boundaries,
                                  FormatNumber(bucket.lower), FormatNumber(bucket.upper),
                                  FormatNumber(bucket.count)));
  }
  return fmt::format(
      "[{},{{\"count\":\"{}\",\"sum\":\"{}\"{}}}]", ApiTime(sample.t), FormatNumber(sample.h.count),
      FormatNumber(sample.h.sum),
      buckets.empty() ? "" : fmt::format(",\"buckets\":[{}]", fmt::join(buckets, ",")));
}

/// One point as `one`, of a range all of them as `one` and an s.
template <typename Point>
void AddPoints(std::string_view one, bool instant, const std::vector<Point>& points,
               std::string* text) {
  if (points.empty()) return;
  fmt::format_to(std::back_inserter(*text), ",\"{}{}\":{}", one, instant ? "" : "s",
                 instant ? "" : "[");
  for (const Point& point : points) {
    *text += (&point == &points.front() ? "" : ",") + TextOfPoint(point);
    if (instant) return;
  }
  *text += ']';
}

/// As Go's encoding/json writes it: for a page too.
std::string SafeInPages(Json json) {
  std::string text;
  for (const char c : JsonText(std::move(json), JsonStyle::kCompact)) {
    if (c == '<' || c == '>' || c == '&') {
      fmt::format_to(std::back_inserter(text), "\\u{:04x}", c);
    } else {
      text += c;
    }
  }
  return text;
}

std::string TextOfResult(const Answer& answer, TimeMs at) {
  if (answer.kind == ValueKind::kString) {
    return fmt::format("[{},{}]", ApiTime(at), SafeInPages(answer.text));
  }
  if (answer.kind == ValueKind::kScalar) {
    const bool some = !answer.series.empty() && !answer.series.front().samples.empty();
    const Sample scalar = some ? answer.series.front().samples.front() : Sample{at, 0};
    // Of scalars alone without exponent.
    return fmt::format("[{},\"{}\"]", ApiTime(scalar.t), PlainNumber(scalar.v));
  }
  const bool instant = answer.kind == ValueKind::kVector;
  std::string text = "[";
  for (const Series& series : answer.series) {
    if (text.size() > 1) text += ',';
    text += SafeInPages(Object("metric", series.labels));
    text.pop_back();  // the brace
    AddPoints("value", instant, series.samples, &text);
    AddPoints("histogram", instant, series.histograms, &text);
    text += '}';
  }
  return text + ']';
}

std::size_t LeftOut(const std::vector<LintedFile>& files) {
  std::size_t count = 0;
  for (const LintedFile& file : files) count += file.report.left_out;
  return count;
}

Json LocationOf(const LintedFile& file, const LintRule& rule) {
  Json place = {{"artifactLocation", {{"uri", UrlPart(file.name, "/")}}}};
  if (rule.line > 0) place["region"] = {{"startLine", rule.line}};
  Json location = {{"physicalLocation", std::move(place)}};
  if (!rule.name.empty()) location["logicalLocations"] = Json::array({{{"name", rule.name}}});
  return location;
}

// SARIF's levels are our severities: error, warning and note.
Json SarifOf(const LintedFile& file, const LintFinding& finding) {
  const std::string fix = InEnglish(finding.fix);
  return {{"ruleId", finding.id},
          {"level", finding.severity},
          {"message",
           {{"text", InEnglish(finding.message) + (fix.empty() ? "" : ". Instead: " + fix)}}},
          {"locations", Json::array({LocationOf(file, PlaceOf(finding, file.rules))})}};
}

}  // namespace

std::string RenderJson(const Against& against) {
  const Json stages = EachOf(against.stages, [](const AgainstStage& stage) {
    return Object("id", stage.id, "depth", stage.depth, "seconds_per_pod_then", stage.then,
                  "seconds_per_pod_now", stage.now);
  });
  const Json findings = EachOf(against.findings, [](const AgainstFinding& one) {
    return Object("fate", one.fate, "id", one.id, "object", one.object, "behind", one.behind,
                  "title", one.title, "confidence_then", one.confidence_then, "confidence_now",
                  one.confidence_now, "share_then", one.share_then, "share_now", one.share_now);
  });
  return TextOf(Object("schema", "schedlens.against/1", "then", SideOf(against.then), "now",
                       SideOf(against.now), "stages", stages, "findings", findings, "notes",
                       against.notes));
}

std::string CompareJson(const Comparison& comparison) {
  Json witness, proven;
  if (const auto& w = comparison.witness) {
    witness =
        Object("bound", w->bound, "part_above", w->part_above, "whole_above", w->whole_above,
               "only_in_part_at_least", w->part_only, "only_in_whole_at_least", w->whole_only);
  }
  const Json cases = EachOf(comparison.cases, [&](const ComparedCase& one) {
    if (one.outcome == CaseOutcome::kProven) proven = one.id;  // the one that ended the walk
    return Object("number", one.number, "id", one.id, "outcome", one.outcome, "text", one.text);
  });
  const auto same = comparison.same_above ? std::optional(comparison.same_count) : std::nullopt;
  return TextOf(
      Object("schema", "schedlens.compare/1", "part", SideOf(comparison.part, comparison.part_rate),
             "whole", SideOf(comparison.whole, comparison.whole_rate), "inverted",
             comparison.inverted, "inverted_by_rate", comparison.rate_inverted, "witness", witness,
             "cases", cases, "proven", proven, "verdict", comparison.verdict, "believe",
             comparison.believe, "same_attempts_above", comparison.same_above, "same_attempts",
             same, "warnings", comparison.warnings, "queries", comparison.queries));
}

std::string DoctorJson(const DoctorReport& report) {
  const Json checks = EachOf(report.checks, [](const CheckUp& check) {
    return Object("health", check.health, "subject", check.subject, "text", check.text, "fix",
                  check.fix, "evidence", check.evidence);
  });
  const Json control_plane = EachOf(report.control_plane, [](const ComponentFound& seen) {
    return Object("component", seen.component, "jobs", seen.jobs, "instances", seen.instances,
                  "missing", EachOf(seen.missing, [](const AbsentMetric& absent) {
                    return Object("metric", absent.metric, "expected", absent.expected);
                  }));
  });
  const Json configurations = EachOf(report.configurations, [](const ScrapeConfiguration& one) {
    return Object("tool", one.tool, "components", one.components, "yaml", one.yaml);
  });
  return TextOf(Object("schema", "schedlens.doctor/1", "diagnosable", report.diagnosable, "checks",
                       checks, "neighbours", control_plane, "scrape_configurations",
                       configurations));
}

std::string QuantileJson(const QuantileReport& report, const std::vector<ServerValue>& servers) {
  Json json = RowOf(report.rows.front());
  json["window"] = report.seen;
  if (report.rows.size() > 1) json["groups"] = EachOf(report.rows, RowOf);
  for (const ServerValue& server : servers) {
    json["servers"].push_back(Object("semantics", server.semantics, "value", server.value));
  }
  json["warnings"] = InEnglish(report.warnings);
  json["queries"] = report.queries;
  return TextOf(json);
}

std::string PredictionJson(const Prediction& p) {
  return TextOf(
      Object("schema", "schedlens.whatif/1", "verdict", p.undecidable ? "undecidable" : "predicted",
             "refused", p.refused, "e2e", RowsOf(p.e2e), "pod", RowsOf(p.pod), "threshold",
             p.threshold, "alert", Object("metric", p.alert_metric, "q", p.alert_quantile), "fires",
             Object("before", p.fires_before, "after", p.fires_after), "utilisation",
             Object("before", LoadOf(p.before, p.qps), "after", LoadOf(p.after, p.qps_after)),
             "seeds", p.seeds, "assumptions", p.assumptions));
}

std::string HeadroomJson(const Headroom& h) {
  return TextOf(Object("schema", "schedlens.headroom/1", "verdict",
                       h.refused.empty() ? "predicted" : "undecidable", "refused", h.refused, "of",
                       h.what, "now", h.now, "target",
                       Object("metric", h.metric, "q", h.q, "seconds", h.target), "factor",
                       h.factor, "most_tried", h.most, "limit", h.limit, "client_qps", h.qps,
                       "utilisation", Object("now", LoadOf(h.before), "there", LoadOf(h.there)),
                       "moves", h.moves, "assumptions", h.assumptions));
}

std::string AnswerJson(const Answer& answer, TimeMs at) {
  static constexpr const char* kKinds[] = {"scalar", "string", "vector", "matrix"};
  return fmt::format("{{\"resultType\":\"{}\",\"result\":{}}}",
                     kKinds[static_cast<int>(answer.kind)], TextOfResult(answer, at));
}

std::string LintJson(const std::vector<LintedFile>& files, const LintedFor& linted_for) {
  Json findings = Json::array(), fixed = Json::array(), yaml;
  for (const LintedFile& file : files) {
    for (const LintFinding& finding : file.report.findings) {
      const LintRule& rule = PlaceOf(finding, file.rules);
      findings.push_back(Object("id", finding.id, "severity", finding.severity, "file", file.name,
                                "line", rule.line, "group", rule.group, "rule", rule.name,
                                "message", finding.message, "fix", finding.fix));
    }
    for (std::size_t i = 0; i < file.rules.size(); ++i) {
      if (!file.report.Fixed(file.rules, i)) continue;
      fixed.push_back(Object("file", file.name, "rule", file.rules[i].name, "before",
                             file.rules[i].expr, "after", file.report.fixed[i]));
    }
    if (!file.fixed) continue;
    yaml.push_back(Object("file", file.name, "text", file.fixed_yaml, "diff", file.diff));
  }
  const std::string& release = linted_for.release;
  Json json = Object("schema", "schedlens.lint/1", "release",
                     release.empty() ? std::nullopt : std::optional(release), "scrape_interval",
                     MsToSeconds(linted_for.scrape_ms), "findings", findings);
  if (const std::size_t count = LeftOut(files)) json["findings_left_out"] = count;
  json["mended"] = std::move(fixed);
  if (!yaml.empty()) json["yaml"] = std::move(yaml);
  return TextOf(json);
}

std::string LintSarif(const std::vector<LintedFile>& files, const std::vector<LintCheck>& checks,
                      const std::string& version) {
  const Json rules = EachOf(checks, [](const LintCheck& check) {
    return Object("id", check.id, "shortDescription", Object("text", InEnglish(check.summary)),
                  "defaultConfiguration", Object("level", check.severity));
  });
  Json results = Json::array();
  for (const LintedFile& file : files) {
    for (const LintFinding& finding : file.report.findings) {
      results.push_back(SarifOf(file, finding));
    }
  }
  Json run = Object(
      "tool", Object("driver", Object("name", "schedlens", "version", version, "rules", rules)),
      "results", results);
  if (const std::size_t count = LeftOut(files)) run["properties"] = {{"findings_left_out", count}};
  return TextOf({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({std::move(run)})}});
}

}  // namespace schedlens
