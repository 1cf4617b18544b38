#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/control_plane/binding_path.h"
#include "diagnose/control_plane/cluster.h"
#include "kube/stage.h"
#include "messages/catalog.h"
#include "messages/written.h"

namespace schedlens {
namespace {

using test::kBefore;
using test::kNow;

constexpr double kBinds = 1000;
using LabelPairs = std::vector<std::pair<std::string, std::string>>;
using Names = std::vector<std::string>;

/// Mean seconds of a binding by part, before and now.
struct Parts {
  double network[2] = {0.001, 0.001};
  double outside[2] = {0, 0};  ///< of the service level indicator
  double inside[2] = {0.004, 0.004};
};

/// A control plane with these parts; the rest is added by each test.
test::Cluster With(const Parts& parts) {
  const LabelPairs binding = {{"verb", "POST"}, {"resource", "pods"}, {"subresource", "binding"}};
  test::Cluster cluster;
  cluster.AddCalls("bindings", "apiserver_request_duration_seconds", binding, kBinds,
                   parts.outside[0] + parts.inside[0], parts.outside[1] + parts.inside[1]);
  cluster.AddCalls("bindings", "apiserver_request_sli_duration_seconds", binding, kBinds,
                   parts.inside[0], parts.inside[1]);
  return cluster;
}

void AddStorage(test::Cluster* cluster, double before, double now) {
  cluster->AddCalls("etcd_requests", "etcd_request_duration_seconds",
                    {{"operation", "update"}, {"resource", "pods"}}, kBinds, before, now);
}

/// Every fsync takes as long as it says.
void AddFsyncs(test::Cluster* cluster, double before, double now) {
  const std::string name = "etcd_disk_wal_fsync_duration_seconds";
  cluster->AddCalls("etcd", name, {}, kBinds, before, now, "etcd");
  for (const double bound : {0.002, 0.02, 0.2, 2.0}) {
    cluster->Add("etcd", name + "_bucket", {{"le", std::to_string(bound)}},
                 before <= bound ? kBinds : 0, now <= bound ? kBinds : 0, "etcd");
  }
  cluster->Add("etcd", name + "_bucket", {{"le", "+Inf"}}, kBinds, kBinds, "etcd");
}

void AddWakeUps(test::Cluster* cluster, double before, double now) {
  cluster->AddCalls("processes", "go_sched_latencies_seconds", {}, 1e6, before, now);
}

void AddOwnCalls(test::Cluster* cluster, double before, double now) {
  cluster->AddCalls("processes", "rest_client_request_duration_seconds",
                    {{"verb", "POST"}, {"host", "audit:443"}}, kBinds, before, now);
}

void AddWebhook(test::Cluster* cluster, const std::string& name, double before, double now) {
  cluster->AddCalls("admission", "apiserver_admission_webhook_admission_duration_seconds",
                    {{"name", name}, {"operation", "CREATE"}}, kBinds, before, now);
}

/// Bindings by the scheduler, or by an extender in its place.
PathEvidence Measure(const test::Cluster& cluster, const Parts& parts, bool by_extender = false) {
  const auto path = [&](const TimeRange& window, int i) {
    TimeBreakdown breakdown;
    breakdown.window = window;
    (by_extender ? breakdown.extender_binds : breakdown.bind_ok.count) = kBinds;
    breakdown.seconds[by_extender ? kube::Stage::kBindUnmeasured : kube::Stage::kBindPlugins] =
        kBinds * (parts.network[i] + parts.outside[i] + parts.inside[i]);
    return *MeasureBindingPath(cluster.facts(), breakdown, LimiterSplit{}, true);
  };
  PathEvidence evidence;
  evidence.now = path(kNow, 1);
  evidence.before = path(kBefore, 0);
  evidence.symptoms = MeasureSymptoms(cluster.facts(), kNow);
  evidence.symptoms_before = MeasureSymptoms(cluster.facts(), kBefore);
  evidence.e2e_seconds = evidence.now.request.value / 0.9;
  return evidence;
}

/// "id object confidence", strongest first.
Names Behind(const test::Cluster& cluster, const Parts& parts) {
  Names out;
  for (const CauseBehind& one : WhyBindingIsSlow(Measure(cluster, parts))) {
    const char* sure = one.confidence == Confidence::kCertain  ? " certain"
                       : one.confidence == Confidence::kLikely ? " likely"
                                                               : " possible";
    // The call is nine tenths of the time: nothing behind it can be more.
    EXPECT_LE(one.share.high.value_or(1), 0.9 + 1e-9) << one.id;
    out.push_back(one.id + (one.object.empty() ? "" : " " + one.object) + sure);
  }
  return out;
}

TEST(WhyBindingIsSlowTest, NamesTheWebhookThatTheDifferenceLeaves) {
  Parts parts;
  parts.outside[0] = 0.008;
  parts.outside[1] = 0.3;
  test::Cluster cluster = With(parts);
  AddWebhook(&cluster, "quota", 0.005, 0.295);
  AddWebhook(&cluster, "labels", 0.005, 0.005);
  EXPECT_EQ(Behind(cluster, parts), Names{"apiserver.webhook quota certain"});
}

TEST(WhyBindingIsSlowTest, AcquitsASlowWebhookThatBindingsDoNotMeet) {
  Parts parts;
  parts.inside[1] = 0.4;
  test::Cluster cluster = With(parts);
  AddWebhook(&cluster, "labels", 0.005, 0.6);
  AddStorage(&cluster, 0.003, 0.39);
  AddFsyncs(&cluster, 0.001, 0.19);
  EXPECT_EQ(Behind(cluster, parts), Names{"etcd.disk certain"});
}

TEST(WhyBindingIsSlowTest, TellsAFullPriorityLevelByWhoseWaitGrew) {
  Parts parts;
  parts.outside[1] = 0.25;
  test::Cluster cluster = With(parts);
  const std::string wait = "apiserver_flowcontrol_request_wait_duration_seconds";
  cluster.AddCalls("flowcontrol", wait, {{"priority_level", "crowded"}}, kBinds, 0, 2);
  cluster.AddCalls("flowcontrol", wait, {{"priority_level", "workload-high"}}, kBinds, 0, 0.001);
  EXPECT_EQ(Behind(cluster, parts), Names{"apiserver.flowcontrol crowded certain"});
}

TEST(WhyBindingIsSlowTest, TooLittleCpuIsNeitherDiskNorNetwork) {
  Parts parts;
  parts.network[1] = 0.2;
  parts.inside[1] = 0.3;
  test::Cluster cluster = With(parts);
  AddStorage(&cluster, 0.003, 0.28);
  AddFsyncs(&cluster, 0.001, 0.001);
  AddOwnCalls(&cluster, 0.001, 0.001);
  AddWakeUps(&cluster, 0.0002, 0.006);
  EXPECT_EQ(Behind(cluster, parts), Names{"apiserver.cpu likely"});
}

TEST(WhyBindingIsSlowTest, ABlockingAuditBackendLooksLikeTheNetwork) {
  Parts parts;
  parts.network[1] = 0.09;
  const auto with = [&](double own) {
    test::Cluster cluster = With(parts);
    AddOwnCalls(&cluster, 0.004, own);
    return Behind(cluster, parts);
  };
  EXPECT_EQ(with(0.085), Names{"apiserver.audit likely"});
  EXPECT_EQ(with(0.004), Names{"bind.network likely"});
  EXPECT_EQ(Behind(With(parts), parts),
            (Names{"bind.network possible", "apiserver.audit possible"}))
      << "without the API server's own calls the two are a tie";
}

TEST(WhyBindingIsSlowTest, WithoutEtcdsOwnMetricsTheWakeUpsDecide) {
  Parts parts;
  parts.inside[1] = 0.4;
  test::Cluster cluster = With(parts);
  AddStorage(&cluster, 0.003, 0.39);
  EXPECT_EQ(Behind(cluster, parts), (Names{"apiserver.cpu possible", "etcd.slow possible"}));
  AddWakeUps(&cluster, 0.00005, 0.00006);
  EXPECT_EQ(Behind(cluster, parts), Names{"etcd.slow likely"});
}

TEST(WhyBindingIsSlowTest, TheWayBetweenEtcdsMembersExplainsStorage) {
  Parts parts;
  parts.inside[1] = 0.2;
  const auto with = [&](double round_trip) {
    test::Cluster cluster = With(parts);
    AddStorage(&cluster, 0.003, 0.195);
    AddFsyncs(&cluster, 0.001, 0.001);
    cluster.AddCalls("etcd", "etcd_network_peer_round_trip_time_seconds", {{"To", "b"}}, kBinds,
                     0.001, round_trip, "etcd");
    return Behind(cluster, parts);
  };
  EXPECT_EQ(with(0.15), Names{"etcd.peer likely"});
  EXPECT_EQ(with(0.002), Names{"apiserver.unknown possible"})
      << "the round trips do not explain it";
}

TEST(WhyBindingIsSlowTest, AnElectionIsPossibleForNobodyKnowsHowLongItTook) {
  Parts parts;
  parts.inside[1] = 0.2;
  const auto with = [&](double elections) {
    test::Cluster cluster = With(parts);
    AddStorage(&cluster, 0.003, 0.195);
    AddFsyncs(&cluster, 0.001, 0.001);
    cluster.Add("etcd", "etcd_server_leader_changes_seen_total", {}, 0, elections, "etcd");
    return Behind(cluster, parts);
  };
  EXPECT_EQ(with(2), Names{"etcd.leader possible"});
  EXPECT_EQ(with(0), Names{"apiserver.unknown possible"});
}

TEST(WhyBindingIsSlowTest, TwoCausesAreBothNamed) {
  Parts parts;
  parts.outside[0] = 0.005;
  parts.outside[1] = 0.15;
  parts.inside[1] = 0.15;
  test::Cluster cluster = With(parts);
  AddWebhook(&cluster, "quota", 0.005, 0.15);
  AddStorage(&cluster, 0.003, 0.148);
  AddFsyncs(&cluster, 0.001, 0.07);
  const Names names = Behind(cluster, parts);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_NE(names[0].starts_with("etcd.disk"), names[1].starts_with("etcd.disk"));
}

TEST(WhyBindingIsSlowTest, TheWayAndTheAuditBackendAreToldApartBySeconds) {
  Parts parts;
  parts.network[1] = 0.3;
  test::Cluster cluster = With(parts);
  AddOwnCalls(&cluster, 0.002, 0.152);
  EXPECT_EQ(Behind(cluster, parts), (Names{"apiserver.audit likely", "bind.network likely"}));
}

TEST(WhyBindingIsSlowTest, WhatTheDiskLeavesIsForWantOfProcessors) {
  Parts parts;
  parts.inside[1] = 0.5;
  test::Cluster cluster = With(parts);
  AddStorage(&cluster, 0.003, 0.48);
  AddFsyncs(&cluster, 0.001, 0.19);
  AddWakeUps(&cluster, 0.00005, 0.005);
  const Names names = Behind(cluster, parts);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_NE(names[0].starts_with("etcd.disk"), names[1].starts_with("etcd.disk"));
  EXPECT_NE(names[0].starts_with("apiserver.cpu"), names[1].starts_with("apiserver.cpu"));
}

TEST(WhyBindingIsSlowTest, WithoutWakeUpsTheCpuThatIsUsedHintsAtWantOfIt) {
  Parts parts;
  parts.inside[1] = 0.4;
  test::Cluster cluster = With(parts);
  AddStorage(&cluster, 0.003, 0.39);
  AddFsyncs(&cluster, 0.001, 0.001);
  EXPECT_EQ(Behind(cluster, parts), Names{"apiserver.unknown possible"});
  cluster.Add("processes", "process_cpu_seconds_total", {}, 30, 95);
  EXPECT_EQ(Behind(cluster, parts), Names{"apiserver.cpu possible"});
}

TEST(WhyBindingIsSlowTest, NothingGrewNothingIsBehind) {
  EXPECT_TRUE(Behind(With({}), {}).empty());
}

TEST(WhyBindingFailsTest, NamesTheWebhookThatRefused) {
  test::Cluster cluster = With({});
  cluster.Add("admission", "apiserver_admission_webhook_rejection_count",
              {{"name", "quota"}, {"operation", "CREATE"}}, 0, 90);
  const PathEvidence path = Measure(cluster, {});
  const auto behind = WhyBindingFails(path, 86, 1000);
  ASSERT_EQ(behind.size(), 1u);
  EXPECT_EQ(behind[0].object, "quota");
  EXPECT_EQ(behind[0].confidence, Confidence::kCertain);
  EXPECT_EQ(InEnglish(behind[0].title), "The webhook quota refuses or fails 8.6 % of the bindings");
  EXPECT_EQ(WhyBindingFails(path, 150, 1000).at(0).confidence, Confidence::kLikely);
  EXPECT_TRUE(WhyBindingFails(path, 1000, 1000).empty()) << "most errors have another reason";
}

TEST(MeasureBindingPathTest, ParallelWebhooksHideNothingOfAdmission) {
  Parts parts;
  parts.outside[0] = parts.outside[1] = 0.1;
  test::Cluster cluster = With(parts);
  AddWebhook(&cluster, "a", 0.1, 0.1);
  AddWebhook(&cluster, "b", 0.1, 0.1);
  // Both at once, and a millisecond of what is built in.
  cluster.AddCalls("admission", "apiserver_admission_step_admission_duration_seconds",
                   {{"type", "validate"}, {"operation", "CREATE"}}, kBinds, 0.101, 0.101);
  ASSERT_TRUE(Measure(cluster, parts).now.admission);
  EXPECT_GE(Measure(cluster, parts).now.admission->high, 0.001 * kBinds - 1e-9);
}

TEST(MeasureBindingPathTest, EveryPartHoldsItsTruth) {
  Parts parts;
  parts.network[1] = 0.02;
  parts.outside[1] = 0.3;
  parts.inside[1] = 0.1;
  test::Cluster cluster = With(parts);
  AddWebhook(&cluster, "quota", 0.01, 0.3);
  AddStorage(&cluster, 0.003, 0.09);
  const BindingPath path = Measure(cluster, parts).now;
  const std::pair<BoundedValue, double> all[] = {{path.apiserver, 400},
                                                 {path.webhooks.at("quota"), 300},
                                                 {*path.storage, 90},
                                                 {*path.network, 20}};
  for (const auto& [part, truth] : all) {
    EXPECT_LE(part.low, truth + 1e-6);
    EXPECT_GE(part.high, truth - 1e-6);
  }
}

TEST(MeasureBindingPathTest, WhoeverElseBindsMakesTheServersTimeABound) {
  const test::Cluster cluster = With({});
  TimeBreakdown breakdown;
  breakdown.window = kNow;
  breakdown.bind_ok.count = kBinds / 2;
  breakdown.seconds[kube::Stage::kBindPlugins] = 3;
  const auto path = MeasureBindingPath(cluster.facts(), breakdown, LimiterSplit{}, true);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->apiserver.low, 0) << "half of the bindings are not the scheduler's";
  EXPECT_EQ(path->inside.low, 0);
  EXPECT_EQ(path->outside_sli->low, 0);
  EXPECT_FALSE(MeasureBindingPath(ControlPlaneFacts(), breakdown, LimiterSplit{}, true));
}

TEST(MeasureBindingPathTest, AnExtendersBindingsAreWithinWhatTheAttemptsTook) {
  Parts parts;
  parts.inside[1] = 0.4;
  test::Cluster cluster = With(parts);
  AddStorage(&cluster, 0.003, 0.39);
  AddFsyncs(&cluster, 0.001, 0.19);
  const PathEvidence evidence = Measure(cluster, parts, true);
  EXPECT_TRUE(evidence.now.by_extender);
  EXPECT_FALSE(evidence.now.network) << "what is not the servers' is the extender's";
  const std::vector<CauseBehind> behind = WhyBindingIsSlow(evidence);
  ASSERT_EQ(behind.size(), 1u);
  EXPECT_EQ(behind[0].id, "etcd.disk");
  for (const StageTime& stage : PathStages(evidence.now, evidence.before, 450, 30)) {
    EXPECT_EQ(stage.parent, stage.id == "apiserver" ? "bind.unmeasured" : "apiserver");
  }
  parts.network[1] = 40;
  EXPECT_TRUE(WhyBindingIsSlow(Measure(cluster, parts, true)).empty())
      << "the extender itself is slow";
}

TEST(PathEvidenceTest, ACallThatWasSlowBeforeTellsLittle) {
  PathEvidence evidence;
  evidence.now.binds = kBinds;
  evidence.now.request = BoundedValue::Exactly(kBinds * 0.78);
  EXPECT_FALSE(evidence.WasSlow()) << "nothing is known of before";
  evidence.before.emplace().binds = kBinds;
  for (const auto& [mean, slow] : {std::pair{0.45, true}, {0.38, false}, {0.01, false}}) {
    evidence.before->request = BoundedValue::Exactly(kBinds * mean);
    EXPECT_EQ(evidence.WasSlow(), slow) << mean;
  }
}

/// Sampled calls of plugins at a point, all as many, and their seconds of a call.
std::vector<PluginRow> Plugins(kube::ExtensionPoint point, double calls,
                               const std::vector<std::pair<std::string, double>>& seconds) {
  std::vector<PluginRow> rows;
  for (const auto& [plugin, mean] : seconds) {
    rows.push_back({std::string(ToString(point)), plugin, calls, mean, {}});
  }
  return rows;
}

/// Score took 40 s of 100 s, no baseline.
WindowEvidence SlowScore(const std::vector<PluginRow>& plugins) {
  WindowEvidence c;
  c.now.breakdown.e2e = {1000, 100};
  c.now.breakdown.seconds[kube::Stage::kScore] = 40;
  c.plugins = plugins;
  return c;
}

/// "object confidence low value high", parts of all time in whole percents.
Names PluginsBehind(const std::string& finding, const WindowEvidence& c) {
  Names lines;
  const auto percent = [](const std::optional<double>& part) {
    return " " + std::to_string(std::lround(100 * part.value()));
  };
  for (const CauseBehind& one : WhichPlugin(finding, c)) {
    EXPECT_EQ(one.id, "plugin");
    EXPECT_EQ(one.share.basis.kind, BasisKind::kLossySample);
    EXPECT_EQ(one.next_steps.size(), 2u);
    test::ExpectWrittenInEveryLanguage({one.title, one.evidence.at(0).text});
    lines.push_back(one.object + " " + ToString(one.confidence) + percent(one.share.low) +
                    percent(one.share.value) + percent(one.share.high));
  }
  return lines;
}

TEST(WhichPluginTest, HalfWithoutThreeErrorsIsLikelyAndThreeTenthsArePossible) {
  struct Row {
    double calls;  ///< of each plugin
    std::vector<std::pair<std::string, double>> seconds;
    Names behind;
  };
  const Row rows[] = {
      {200, {{"Slow", 0.03}, {"B", 0.01}}, {"Slow likely 27 30 33"}},
      {21, {{"Slow", 0.03}, {"B", 0.01}}, {"Slow likely 20 30 40"}},
      {20, {{"Slow", 0.03}, {"B", 0.01}}, {"Slow possible 20 30 40"}},  // 49.8 % of Score at least
      {19, {{"Slow", 0.03}, {"B", 0.01}}, {}},
      {200, {{"B", 0.03}, {"C", 0.03}, {"Slow", 0.031}, {"D", 0.009}}, {"Slow possible 9 12 15"}},
      {200, {{"B", 0.0285}, {"C", 0.0285}, {"Slow", 0.029}, {"D", 0.014}}, {}},
      {200, {{"Alone", 0.001}}, {"Alone likely 40 40 40"}},
      {200, {}, {}},
  };
  for (const Row& row : rows) {
    const auto plugins = Plugins(kube::ExtensionPoint::kScore, row.calls, row.seconds);
    EXPECT_EQ(PluginsBehind("algorithm.score", SlowScore(plugins)), row.behind) << &row - rows;
  }
}

TEST(WhichPluginTest, OnlyTheExtensionPointOfTheFindingIsLookedAt) {
  const WindowEvidence c =
      SlowScore(Plugins(kube::ExtensionPoint::kScore, 200, {{"Slow", 0.03}, {"B", 0.01}}));
  EXPECT_EQ(PluginsBehind("algorithm.score", c).size(), 1u);
  for (const char* other :
       {"algorithm.filter", "prebind", "reserve", "algorithm", "algorithm.unmeasured",
        "algorithm.extender", "algorithm.cpu-starved", "prebind.volume", "permit.wait",
        "preemption", "queue.backlog", "bind.apiserver", "Score", ""}) {
    EXPECT_EQ(PluginsBehind(other, c), Names()) << other;
  }
}

TEST(WhichPluginTest, ItsPartIsOneOfWhatTheStageGrewBy) {
  WindowEvidence c =
      SlowScore(Plugins(kube::ExtensionPoint::kScore, 200, {{"Slow", 0.03}, {"B", 0.01}}));
  c.change[kube::Stage::kScore].excess = 20;
  EXPECT_EQ(PluginsBehind("algorithm.score", c), Names{"Slow likely 13 15 17"});
  c.change[kube::Stage::kScore].excess = 300;
  EXPECT_EQ(PluginsBehind("algorithm.score", c), Names{"Slow likely 67 75 83"})
      << "more than all there is cannot be";
  c.now.breakdown.e2e.seconds = 0;
  EXPECT_EQ(PluginsBehind("algorithm.score", c), Names());
}

TEST(WhichPluginTest, PostFilterHasPluginsBesideItsOwn) {
  const auto c = [](const char* plugin) {
    WindowEvidence evidence =
        SlowScore(Plugins(kube::ExtensionPoint::kPostFilter, 200, {{plugin, 0.03}, {"B", 0.001}}));
    evidence.now.breakdown.seconds[kube::Stage::kPostFilter] = 30;
    evidence.now.breakdown.points[kube::ExtensionPoint::kPostFilter] = {100, 30};
    evidence.now.breakdown.by_result[kube::AttemptResult::kUnschedulable] = {100, 40};
    return evidence;
  };
  for (const char* finding : {"preemption", "attempts.unschedulable"}) {
    EXPECT_EQ(PluginsBehind(finding, c("Slow")), Names{"Slow likely 29 29 29"}) << finding;
    EXPECT_EQ(PluginsBehind(finding, c("DefaultPreemption")), Names()) << finding;
  }
  WindowEvidence quick = c("Slow");
  quick.now.breakdown.by_result[kube::AttemptResult::kUnschedulable] = {100, 80};
  EXPECT_EQ(PluginsBehind("attempts.unschedulable", quick), Names())
      << "most of what these attempts took is not PostFilter's";
  WindowEvidence same = c("Slow");
  same.change[kube::Stage::kPostFilter].excess = 0;
  EXPECT_EQ(PluginsBehind("preemption", same), Names()) << "it did not grow";
}

TEST(WhichPluginTest, SaysWhatItsCallsTook) {
  WindowEvidence c = SlowScore(
      Plugins(kube::ExtensionPoint::kScore, 200, {{"NodeAffinity", 0.04}, {"Other", 0.01}}));
  const auto told = [&c] { return WhichPlugin("algorithm.score", c).at(0); };
  EXPECT_EQ(InEnglish(told().title), "The plugin NodeAffinity is slow in Score");
  EXPECT_EQ(InEnglish(told().evidence.at(0).text),
            "80 % of Score is its own, by 200 sampled calls: 0.04 s each.");
  c.baseline.emplace().breakdown.e2e.count = 500;
  c.plugins_before =
      Plugins(kube::ExtensionPoint::kScore, 100, {{"NodeAffinity", 0.001}, {"Other", 0.001}});
  EXPECT_EQ(InEnglish(told().evidence.at(0).text),
            "81 % of what Score grew by is its own, by 200 sampled calls: 0.04 s each, 0.001 s "
            "before.");
}

}  // namespace
}  // namespace schedlens
