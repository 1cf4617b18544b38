#include "report/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/commands.h"

namespace schedlens {

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfiniteSample = std::numeric_limits<double>::infinity();
constexpr const char* kAlert =
    "histogram_quantile(0.99, sum by (le) "
    "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m]))) > 3";
constexpr TimeMs kStart = 1'763'719'200'000;  // 2025-11-21 10:00:00 UTC

Measured Sum(double value) { return {value, value, value, "s", BasisKind::kExact}; }
Measured Ratio(double low, double value, double high) {
  return {value, low, high, "1", ParseBasis("sums per scrape")};
}

StageTime MakeStage(const std::string& id, const std::string& parent, double seconds, double total,
                    double baseline_share) {
  StageTime stage;
  stage.id = id;
  stage.parent = parent;
  stage.seconds = Sum(seconds);
  stage.share = {seconds / total, seconds / total, seconds / total, "1", BasisKind::kExact};
  stage.baseline_share = baseline_share;
  stage.baseline_seconds = baseline_share * 40;
  stage.excess = Measured{seconds - baseline_share * 40, {}, {}, "s", BasisKind::kSums};
  stage.measured_by = Verbatim("scheduler_framework_extension_point_duration_seconds_sum");
  stage.population = "all attempts";
  stage.observations = 1234;
  return stage;
}

Measured Pods(double low, double value, double high) {
  return Bounded(low, value, high, "count", BasisKind::kCountsOverThreshold);
}

/// A next step that was run.
NextStep RefusedRequests() {
  const std::string query =
      "sum by (code, method) (rate(rest_client_requests_total{code!~\"2..\"}[2m30s] @ 1763719450))";
  const auto refused = [](const char* code, double rate) {
    return Message("answered.of",
                   {{"labels", "code " + std::string(code) + ", method POST"},
                    {"what", Message("answered.per_second", {{"value", arg::Number(rate)}})}});
  };
  const Message answer("answered.values",
                       {{"values", std::vector{refused("409", 0.21), refused("500", 0.0133)}}});
  return {Message("finding.attempts.error.step.2", {{"query", arg::Promql(query)}}), query,
          StepAnswer{0.21, answer}};
}

/// A next step that is a command.
NextStep FastBind() {
  const std::string command =
      "schedlens whatif --set bind.extender=0 --exact --capture metrics.om.gz --start "
      "2025-11-21T10:01:40Z --end 2025-11-21T10:04:10Z";
  return {Message("finding.bind.extender.step.4", {{"command", command}}), "", {}, command};
}

/// What to do about a finding that a command of kubectl shows, or a query.
Remedy MakeRemedy(const std::string& id, const std::string& query = "") {
  const auto text = [&](const char* part) {
    return Message("finding." + id + part, {{"pods", "-n kube-system -l component=kube-scheduler"},
                                            {"start", arg::Time(kStart + 100'000)}});
  };
  return {text(".now"), text(".owner"), text(".later"),
          query.empty() ? text(".command") : Message(), query};
}

Impact MakeImpact() {
  Impact impact;
  impact.threshold = 3;
  impact.pods_over_threshold = Pods(118, 120, 131);
  impact.attempts_over_threshold = Pods(120, 126, 133);
  impact.above_seconds = 140;
  impact.extra_seconds = Exact(2214, "s");
  const Measured longest = Bounded(13, 14, 15, "s", BasisKind::kExact);
  impact.workloads = {{"shop", "Deployment", "cart", Pods(700, 745, 790), Pods(80, 90, 110),
                       longest, Bounded(1300, 1500, 1900, "s", BasisKind::kBaseline), 2},
                      {"batch", "Pod", "", Pods(300, 311, 390), Pods(12, 30, 44), longest, {}, 0},
                      {"quiet", "Job", "nightly", Pods(9, 9, 9), Pods(0, 0, 0), longest, {}, 0}};
  impact.coverage = {true, 1009, 1099, 0};
  return impact;
}

ControlPlaneSeen MakeControlPlane() {
  const auto at_least = [](double n) {
    return Measured{n, n, std::nullopt, "count", BasisKind::kControlPlane};
  };
  ControlPlaneSeen seen;
  ComponentSeen& servers = seen.apiserver;
  servers.seen = 1;
  servers.instances = {3, 2, std::nullopt, "count", BasisKind::kControlPlane};
  servers.bindings = Bounded(340, 366, 390, "count", BasisKind::kControlPlane);
  servers.covered = Bounded(0.31, 1 / 3.0, 0.355, "1", BasisKind::kControlPlane);
  servers.servers = {
      {"10.0.0.1:6443", *servers.bindings, Bounded(12, 13, 14, "s", BasisKind::kControlPlane)}};
  servers.missing = {
      Message("neighbours.missing.instances",
              {{"seen", arg::Count(1)}, {"all", arg::Count(3)}, {"covered", arg::Share(1 / 3.0)}})};
  seen.etcd.instances = at_least(0);
  seen.etcd.missing = {Message("neighbours.missing.etcd")};
  seen.kube_state_metrics.instances = at_least(1);
  seen.kube_state_metrics.seen = 1;
  seen.kube_state_metrics.covered = Exact(0.918, "1");
  return seen;
}

std::vector<ClusterChange> MakeChanges(TimeMs onset) {
  ClusterChange hook;
  hook.what = Message("change.webhook.created");
  hook.object = "ValidatingWebhookConfiguration vendor-policy";
  hook.at = hook.earliest = onset - 12'000;
  hook.latest = hook.earliest + 1000;
  hook.distance_seconds = -12;
  hook.source = "kube_validatingwebhookconfiguration_created";
  ClusterChange nodes;
  nodes.what = Message("change.node.added");
  nodes.object = "node-17";
  nodes.count = 20;
  nodes.earliest = onset - 60'000;
  nodes.at = onset - 45'000;
  nodes.latest = onset - 30'000;
  nodes.distance_seconds = -45;
  nodes.source = "kube_node_created";
  ClusterChange load;
  load.what = Message("change.load");
  load.object = "shop";
  load.at = load.earliest = load.latest = onset;
  load.before = "4.1";
  load.after = "9.3";
  load.source = "kube_pod_created";
  return {hook, nodes, load};
}

// 30 columns of ten seconds: quiet for ten, slow for fifteen, quiet again.
Timeline MakeTimeline() {
  Timeline t;
  t.bounds = {0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384, kInfiniteSample};
  for (int i = 0; i < 30; ++i) {
    const bool slow = i >= 10 && i < 25;
    t.times.push_back(kStart + 10'000 * (i + 1));
    t.e2e.push_back(slow ? std::vector<double>{0, 0, 1, 2, 4, 9, 30, 6, 0}
                         : std::vector<double>{0, 3, 30, 12, 2, 0, 0, 0, 0});
    t.shown.push_back(i == 3 ? kNotANumber : slow ? 3.2 + 0.01 * i : 0.05);
    t.low.push_back(i == 3 ? kNotANumber : slow ? 3.1 : 0.031);
    t.high.push_back(i == 3 ? kNotANumber : slow ? 3.9 : 0.064);
    t.scheduled.push_back(slow ? 50 : 46);
    t.failed.push_back(slow ? 2 : 1);
    t.pending_active.push_back(slow ? i - 8 : 1);
    t.pending_backoff.push_back(slow ? 3 : 0);
    t.pending_unschedulable.push_back(2);
    t.binding.push_back(slow ? 40 : 1);
  }
  return t;
}

}  // namespace

Diagnosis ExtenderIncident() {
  Diagnosis d;
  d.verdict = Verdict::kIncident;
  d.headline = Message("headline.share.more", {{"confidence", Message("headline.certain")},
                                               {"title", Message("finding.bind.extender.title")},
                                               {"share", arg::Share(0.912)},
                                               {"more", arg::Count(1)}});
  d.tool_version = "0.1.0";
  d.made = kStart + 700'000;
  d.command = "schedlens diagnose --capture metrics.om.gz --alert '" + std::string(kAlert) + "'";
  d.cluster = "prod-1";
  d.source = {"capture", "metrics.om.gz", "", {}, true, TimeRange{kStart, kStart + 660'000}, {},
              {}};
  d.source.semantics.major = 2;
  d.source.semantics.minor = 42;
  d.release = "1.20";
  d.window = {kStart + 100'000, kStart + 250'000};
  d.window_found = true;
  d.baseline = TimeRange{kStart, kStart + 90'000};
  d.attempts = 1234;
  d.e2e_seconds = 2500;
  AlertVerdict alert;
  alert.expr = kAlert;
  alert.metric = "scheduler_e2e_scheduling_duration_seconds";
  alert.threshold = 3;
  alert.comparison = ">";
  alert.for_seconds = 60;
  alert.episodes = {{kStart + 110'000, kStart + 170'000, kStart + 260'000}};
  alert.shown = 3.8417;
  alert.decided = Decided::kAbove;
  alert.interval = {3.2118, 4.096};
  alert.recomputed = {{Message("recomputed.alert"), kStart, 3.84, 3.84, true, "bits", 64, 64}};
  alert.notes = {Message("alert.inside.two", {{"threshold", arg::Duration(3)},
                                              {"one", arg::Duration(2.048)},
                                              {"other", arg::Duration(4.096)}})};
  d.alert = alert;
  d.results = {{"scheduled", 1200, 2490}, {"error", 34, 10}};
  const double total = 2500;
  d.stages = {MakeStage("algorithm", "", 170, total, 0.62),
              MakeStage("algorithm.prefilter", "algorithm", 20, total, 0.1),
              MakeStage("algorithm.filter", "algorithm", 110, total, 0.4),
              MakeStage("algorithm.filter/InterPodAffinity", "algorithm.filter", 80, total, 0.3),
              MakeStage("algorithm.unmeasured", "algorithm", 40, total, 0.12),
              MakeStage("postfilter", "", 0, total, 0),
              MakeStage("reserve", "", 0, total, 0),
              MakeStage("bind", "", 2280, total, 0.3),
              MakeStage("bind.plugins", "bind", 0.5, total, 0.29),
              MakeStage("bind.unmeasured", "bind", 2279.5, total, 0.01),
              MakeStage("unmeasured", "", 50, total, 0.08)};
  d.stages[7].tail_time_share = Ratio(0.907, 0.968, 0.9931);
  d.stages[7].sufficient = Ratio(0.99, 1, 1);
  d.stages[7].excess_cost = Measured{2200, {}, {}, "s", BasisKind::kSums};
  d.stages[7].excess_mix = Measured{62, {}, {}, "s", BasisKind::kSums};
  d.stages[0].tail_time_share = Ratio(0, 0.02, 0.07);
  d.stages[0].sufficient = Ratio(0, 0, 0);
  d.stages[8].saturated = true;
  d.stages[9].measured_by = Verbatim("bind - EP{Bind}");
  QuantileRow row;
  row.metric = alert.metric;
  row.q = 0.99;
  row.shown = 3.8417;
  row.interval = {3.2118, 4.096};
  row.interval_basis = ParseBasis("buckets and sums per scrape");
  row.estimate = {3.6, 3.2118, 4.096, "s", ParseBasis("harmonic middle")};
  row.sampling_interval = {3.4, 3.9};
  row.reasons = {Message("reason.interpolated",
                         {{"low", arg::Duration(2.048)}, {"high", arg::Duration(4.096)}})};
  d.quantiles = {row, row};
  d.quantiles[1].q = 0.999;
  d.quantiles[1].interval = {4.096, {}};
  d.quantiles[1].estimate = {5.1, 4.096, {}, "s", BasisKind::kBuckets};
  d.quantiles[1].labels = {{"result", "scheduled"}};
  d.queue = {{"loop.busy", Ratio(0.31, 0.31, 0.31), std::nullopt},
             {"pod.wait", Estimated(1.25, "s", BasisKind::kPodLessAttempt),
              Estimated(0.002, "s", BasisKind::kPodLessAttempt)}};
  d.plugins = {
      {"Filter", "InterPodAffinity", 123, 0.000412, Ratio(0.5, 0.71, 0.8)},
      {"Filter", "NodeResourcesFit", 123, 0.00006, {0.1, {}, {}, "1", ParseBasis("sampled")}}};
  d.findings = {
      {"bind.extender",
       Message("finding.bind.extender.title"),
       Confidence::kCertain,
       Measured{0.912, 0.905, 0.9151, "1", BasisKind::kSums},
       {{Message("evidence.extender.binds",
                 {{"count", arg::Count(1187)}, {"all", arg::Count(1200)}}),
         "increase(scheduler_framework_extension_point_duration_seconds_count"
         "{extension_point=\"Bind\"}[150s])"},
        {Message("evidence.stage.baseline", {{"stage", Message("evidence.stage.bind_rest")},
                                             {"spent", arg::Duration(2279.5)},
                                             {"all", arg::Duration(2500)},
                                             {"share", arg::Share(0.9118)},
                                             {"now", arg::Duration(1.8996)},
                                             {"before", arg::Duration(0.0003)}}),
         ""}},
       {{Message("finding.bind.extender.step.2"), "", {}},
        FastBind(),
        {Message("finding.bind.extender.step.5"), "", {}}},
       {},
       {}},
      {"attempts.error",
       Message("finding.attempts.error.title"),
       Confidence::kLikely,
       Measured{0.021, {}, {}, "1", BasisKind::kGrowth},
       {{Message("evidence.results", {{"count", arg::Count(34)},
                                      {"attempts", arg::Count(1234)},
                                      {"result", "error"},
                                      {"share", arg::Share(34.0 / 1234)}}),
         ""}},
       {{Message("finding.attempts.error.step.1"), "", {}}, RefusedRequests()},
       {},
       {}}};
  for (Finding& finding : d.findings) finding.action = MakeRemedy(finding.id);
  d.cross_check = CrossCheck{ReplayVerdict::kExplained,
                             0.021,
                             {{0.5, 1.9, 1.95}, {0.99, 3.84, 3.7}},
                             {},
                             Message("replay.result", {{"gap", arg::Share(0.021)},
                                                       {"allowed", arg::Share(0.089)},
                                                       {"cause", "bind.extender"}})};
  for (std::size_t i = 0; i < 9; ++i) {
    const double x = static_cast<double>(i) / 8;
    d.cross_check->cdf.push_back({MakeTimeline().bounds[i], x * x, x * x * 0.98});
  }
  d.gaps = {Message(
      "gap.metric",
      {{"missing", Message("missing.metric", {{"metric", arg::Metric("pending_pods")},
                                              {"cost", Message("missing.cost.pending_pods")}})}})};
  d.warnings = {Message("target.restarted",
                        {{"target", "{instance=\"10.0.0.1:10259\", job=\"kube-scheduler\"}"},
                         {"at", arg::Time(kStart + 180'000)}})};
  d.queries = {
      {"e2e", "increase(scheduler_e2e_scheduling_duration_seconds_bucket[150s])", kStart + 250'000,
       34},
      {"bind", "increase(scheduler_binding_duration_seconds_sum[150s])", kStart + 250'000, 2}};
  d.timeline = MakeTimeline();
  d.impact = MakeImpact();
  d.control_plane = MakeControlPlane();
  d.changes = MakeChanges(d.window.start);
  return d;
}

Diagnosis HealthyCluster() {
  Diagnosis d = ExtenderIncident();
  d.verdict = Verdict::kNoIncident;
  d.headline = Message("headline.healthy", {{"attempts", arg::Count(1234)}});
  d.alert->shown = 0.0584;
  d.alert->decided = Decided::kBelow;
  d.alert->interval = {0.031, 0.064};
  d.alert->recomputed = {
      {Message("recomputed.alert"), kStart, 0.0584, 0.0584, true, "bits", 64, 64}};
  d.alert->episodes.clear();
  d.alert->notes.clear();
  d.attempts = 1234;
  d.e2e_seconds = 30;
  d.results = {{"scheduled", 1200, 29}, {"error", 34, 1}};
  d.quantiles.resize(1);
  d.quantiles[0].shown = 0.0584;
  d.quantiles[0].interval = {0.031, 0.064};
  d.quantiles[0].estimate = {0.05, 0.031, 0.064, "s", BasisKind::kBuckets};
  d.quantiles[0].sampling_interval = {0.03, 0.07};
  d.quantiles[0].reasons = {Message(
      "reason.interpolated", {{"low", arg::Duration(0.016)}, {"high", arg::Duration(0.064)}})};
  for (std::size_t i = 0; i < d.timeline.times.size(); ++i) {
    d.timeline.e2e[i] = {0, 3, 30, 12, 2, 0, 0, 0, 0};
    d.timeline.shown[i] = 0.05;
    d.timeline.low[i] = 0.031;
    d.timeline.high[i] = 0.064;
  }
  d.findings.clear();
  d.impact.reset();
  d.changes.clear();
  d.window_found = false;
  d.cross_check.reset();
  d.gaps.clear();
  d.warnings.clear();
  d.stages = {MakeStage("algorithm", "", 27, 30, 0.62),
              MakeStage("algorithm.prefilter", "algorithm", 3, 30, 0.1)};
  d.plugins.clear();
  return d;
}

Diagnosis NoData() {
  Diagnosis d;
  d.headline = Message("headline.nothing");
  d.tool_version = "0.1.0";
  d.source = {"prometheus", "http://prometheus.example:9090", "2.53.1", {}, true, {}, {}, {}};
  d.window = {kStart, kStart + 300'000};
  d.gaps = {Message("gap.nothing",
                    {{"command", "schedlens doctor --prometheus http://prometheus.example:9090"}})};
  d.queries = {{"e2e", "scheduler_e2e_scheduling_duration_seconds_bucket", kStart, 0}};
  return d;
}

Diagnosis InvertedQuantiles() {
  Diagnosis d = HealthyCluster();
  d.verdict = Verdict::kArtifact;
  d.headline = Message("headline.artifact");
  d.alert->shown = 3.4;
  d.alert->interval = {1.024, 2.9};
  d.alert->recomputed = {{Message("recomputed.alert"), kStart, 3.4, 3.4, true, "bits", 64, 64}};
  d.quantiles[0].shown = 3.4;
  d.quantiles[0].interval = {1.024, 2.9};
  d.quantiles[0].estimate = {2, 1.024, 2.9, "s", BasisKind::kBuckets};
  d.quantiles[0].sampling_interval = {1, 3};
  d.source = {"prometheus", "https://prometheus.example/base/", "2.53.1", {}, true, {}, {}, {}};
  d.findings = {{"quantile.population",
                 Message("finding.quantile.population.title"),
                 Confidence::kCertain,
                 std::nullopt,
                 {{Message("evidence.population.inverted", {{"e2e", arg::Share(0.95)},
                                                            {"algorithm", arg::Share(0.91)},
                                                            {"bound", arg::Duration(1.024)}}),
                   ""}},
                 {{Message("finding.quantile.population.step.1"), "", {}}},
                 {},
                 {}}};
  d.inversion = CdfPair{Verbatim("scheduler_e2e_scheduling_duration_seconds"),
                        Verbatim("scheduler_scheduling_algorithm_duration_seconds"),
                        MakeTimeline().bounds,
                        {0.1, 0.2, 0.5, 0.6, 0.8, 0.95, 0.99, 1, 1},
                        {0.2, 0.4, 0.6, 0.7, 0.8, 0.91, 0.97, 0.99, 1},
                        1.024};
  return d;
}

Diagnosis Unsettled() {
  Diagnosis d = ExtenderIncident();
  d.source = {"thanos", "http://thanos.example:9090", "", {}, true, {}, {}, {}};
  d.alert->given = false;
  d.alert->for_seconds = 0;
  d.alert->episodes.clear();
  d.impact->above_seconds.reset();
  d.command = "schedlens diagnose --prometheus http://thanos.example:9090";
  d.alert->threshold.reset();
  d.alert->comparison.clear();
  d.alert->decided.reset();
  d.alert->notes.clear();
  d.alert->expr =
      "histogram_quantile(0.99, sum by (le) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))";
  d.alert->recomputed[0].what = Message("recomputed.quantile");
  Finding& first = d.findings[0];
  first.id = "bind.apiserver";
  first.title = Message("finding.bind.apiserver.title");
  first.confidence = Confidence::kLikely;
  first.evidence.erase(first.evidence.begin());
  first.evidence[0].text.args[0].value = "Bind";
  first.next_steps.clear();
  first.action =
      MakeRemedy(first.id,
                 "sum(rate(apiserver_request_duration_seconds_sum{job=\"apiserver\"}[2m30s] @ "
                 "1763719450))");
  Message headline = ExtenderIncident().headline;
  headline.id = "headline.share";
  headline.args[0].value = Message("headline.likely");
  headline.args[1].value = first.title;
  headline.args.pop_back();
  d.headline =
      Message("headline.runner_up", {{"headline", std::move(headline)},
                                     {"other", d.findings[1].title},
                                     {"settled", Message("finding.bind.apiserver.settled")}});
  d.warnings = {Message("source.partial", {{"text", "store 10.0.0.7:10901 is down"}}),
                Message("source.note", {{"text", "PromQL info: metric might not be a counter"}})};
  return d;
}

Diagnosis HostileNames() {
  Diagnosis d = ExtenderIncident();
  const std::string script = "<script>document.title='owned'</script>";
  const std::string quotes =
      "\"' onmouseover='alert(1)' x=\"`|**bold** _it_ [x](javascript:1) @all";
  const std::string cursor = "\x1b[2J\x1b]0;owned\x07\r\nline\x9b\x7f\b\t";
  const std::string direction = "abc\xE2\x80\xAE txt.exe\xE2\x81\xA6\xE2\x80\x8F\xE2\x80\xA8";
  const std::string broken = "\xFF\xFE\xC3(\xE2\x82 \xF0\x9F\x98 \xED\xA0\x80 \xC0\xAF";
  const std::string big(10'240, 'x');
  const std::vector<std::string> all = {script, quotes, cursor, direction, broken, big};
  for (const std::string& text : all) {
    d.alert->labels.emplace_back("l" + std::to_string(d.alert->labels.size()), text);
    d.alert->notes.push_back(Verbatim(text));
    d.results.push_back({text, 1, 1});
    d.stages.push_back(MakeStage(text, "", 100, 2500, 0));
    d.stages.push_back(MakeStage("bind/" + text, "bind", 10, 2500, 0));
    d.stages.back().measured_by = Verbatim(text);
    d.stages.back().population = text;
    d.plugins.push_back({text, text, 1, 1, {}});
    d.gaps.push_back(Verbatim(text));
    d.warnings.push_back(Verbatim(text));
    d.source.warnings.push_back(Verbatim(text));
    d.queries.push_back({text, text, kStart, 1});
    d.findings.push_back(
        {text,
         Verbatim(text),
         Confidence::kPossible,
         {},
         {{Message("evidence.results", {{"count", arg::Count(34)},
                                        {"attempts", arg::Count(kInfiniteSample)},
                                        {"result", text},
                                        {"share", arg::Share(0.5)}}),
           text}},
         {{Verbatim(text), text, StepAnswer{kInfiniteSample, Verbatim(text)}, text}},
         {},
         {}});
    d.findings.back().action = Remedy{Verbatim(text), Verbatim(text), Verbatim(text), {}, text};
    d.impact->workloads.push_back(
        {text, text, text, Pods(1, 1, 2), Pods(1, 1, kInfiniteSample), {}, {}, 1});
    d.changes.push_back({Verbatim(text), text, 1, kStart, kStart, kStart, text, text, 1, text});
    QuantileRow row;
    row.metric = text;
    row.labels = {{"label", text}};
    row.interval_basis = ParseBasis(text);
    row.reasons = {Verbatim(text)};
    row.q = kNotANumber;
    row.shown = kInfiniteSample;
    d.quantiles.push_back(row);
  }
  d.headline = Verbatim(script + quotes + cursor + direction + broken);
  d.source.kind = script;
  d.source.name = "javascript:" + quotes;
  d.source.version = cursor;
  d.release = direction;
  d.tool_version = script;
  d.command = "schedlens " + script + quotes + cursor;
  d.cluster = direction + quotes;
  d.alert->expr = script + cursor;
  d.alert->metric = script + quotes;
  d.cross_check->note = Verbatim(quotes + cursor);
  d.cross_check->distance = kNotANumber;
  d.inversion = CdfPair{Verbatim(script), Verbatim(broken),       {1, kInfiniteSample},
                        {kNotANumber, 1}, {0.5, kInfiniteSample}, kInfiniteSample};
  // Numbers that are none.
  d.stages.push_back(MakeStage("none", "huge", kNotANumber, 2500, kInfiniteSample));
  d.stages.push_back(MakeStage("huge", "", 1e90, 2500, -1e90));
  d.timeline.e2e[4] = {kNotANumber, -1, kInfiniteSample, 0, 0, 1, 0, 0, 0};
  d.timeline.low[2] = kInfiniteSample;
  return Checked(d);
}

Against AgainstSample() {
  Against both;
  both.then = HealthyCluster();
  both.now = HostileNames();
  both.stages = {{"algorithm", 0, 0.0008, 0.0007},
                 {"bind", 0, 0.009, 1.2345},
                 {"x", 1, {}, 0.05},
                 {"y", 0, 0.02, 0.019999}};
  AgainstFinding one;
  one.fate = Fate::kNew;
  one.id = "bind.extender";
  one.title = Verbatim("a <b> | title\x1b[1m");
  one.confidence_now = Confidence::kLikely;
  one.share_now = 0.5;
  both.findings = {one};
  one.fate = Fate::kGone;
  one.behind = true;
  both.findings.push_back(one);
  both.notes = {Message("against.release", {{"then", "1.20"}, {"now", "1.31"}})};
  return both;
}

SplitDiagnosis ThreeClusters() {
  return {.label = "cluster",
          .parts = {{"west", ExtenderIncident()},
                    {"<&|`\"\n\x1b[1m", HostileNames()},
                    {"east", HealthyCluster()}}};
}

std::vector<std::pair<std::string, Diagnosis>> AllSamples() {
  return {{"extender", ExtenderIncident()},
          {"healthy", HealthyCluster()},
          {"no-data", NoData()},
          {"inversion", InvertedQuantiles()},
          {"unsettled", Unsettled()},
          {"hostile", HostileNames()}};
}

TEST(SamplesTest, AreDifferent) {
  const auto samples = AllSamples();
  for (std::size_t i = 1; i < samples.size(); ++i) {
    EXPECT_NE(samples[i].second.headline, samples[i - 1].second.headline);
  }
}

}  // namespace schedlens
