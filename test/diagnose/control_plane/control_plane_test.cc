#include <gtest/gtest.h>

#include "diagnose/control_plane/binding_path.h"
#include "diagnose/control_plane/cluster.h"
#include "messages/catalog.h"

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

PathEvidence Measure(const test::Cluster& cluster, const Parts& parts) {
  const auto path = [&](const TimeRange& window, int i) {
    TimeBreakdown breakdown;
    breakdown.window = window;
    breakdown.bind_ok.count = kBinds;
    breakdown.seconds[kube::Stage::kBindPlugins] =
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
  const auto behind = WhyBindingFails(path, 100);
  ASSERT_EQ(behind.size(), 1u);
  EXPECT_EQ(behind[0].object, "quota");
  EXPECT_EQ(InEnglish(behind[0].title), "The webhook quota refuses bindings or fails");
  EXPECT_TRUE(WhyBindingFails(path, 1000).empty()) << "most errors have another reason";
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

}  // namespace
}  // namespace schedlens
