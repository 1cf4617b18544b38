// Whole runs with an API server: the parts of a binding add up, and the metrics of every component
// say what the truth says.

#include "scheduler/engine/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "scheduler/engine/truth.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

constexpr const char* kPath =
    "duration: 60s\nincident: {start: 20s, end: 40s}\n"
    "cluster: {nodes: [{count: 10, cpu: 64}]}\n"
    "scheduler: {qps: 8, burst: 10}\n"
    "workload:\n  rate: 8\n"
    "  templates: [{name: web, namespace: shop, owner: cart, cpu: 100m, life: \"u(5,10)\"}]\n"
    "costs: {bind_api: \"ln(0.002,0.5)\"}\n"
    "apiserver:\n"
    "  webhooks:\n"
    "    - {name: slow.example, cost: \"ln(0.05,0.8)\", fail: 0.1, policy: Fail}\n"
    "    - {name: open.example, cost: \"ln(0.02,0.8)\", fail: 0.2, policy: Ignore}\n"
    "    - {name: first.example, mutating: true, cost: \"ln(0.01,0.5)\"}\n"
    "    - {name: pods.example, resource: pods, cost: \"1\"}\n"
    "  flowcontrol: {seats: 2, neighbours_rate: 10, neighbours_cost: \"u(0.05,0.2)\"}\n"
    "  etcd: {fsync: \"0.9*ln(0.003,0.4)+0.1*u(0.1,0.3)\"}\n"
    "  audit: {cost: \"ln(0.004,0.4)\", blocking: true}\n"
    "network: {delay: \"ln(0.003,0.5)\"}\n"
    "faults:\n  - {network: {delay: \"0.1\"}}\n";

Scenario Path(const std::string& release, const std::string& more = "") {
  return ParseScenario("kubernetes_version: \"" + release + "\"\n" + kPath + more, "path");
}

Nanos ServerOf(const BindingRecord& b) {
  return b.flowcontrol + b.webhook + b.admission + b.storage + b.rest;
}

TEST(ApiServer, ThePartsOfABindingAreTheBindPoint) {
  for (const char* release : {"1.20", "1.30", "1.34.1", "1.36"}) {
    const SimulationResult run = RunScenario(Path(release));
    std::map<std::uint32_t, std::vector<Nanos>> binds;  // by pod, of its attempts
    for (const AttemptRecord& a : run.attempts) {
      if (a[AttemptStage::kBind] > 0) binds[a.pod].push_back(a[AttemptStage::kBind]);
    }
    std::map<std::uint32_t, std::vector<Nanos>> calls;
    ASSERT_GT(run.bindings.size(), 200u) << release;
    for (const BindingRecord& b : run.bindings) {
      calls[b.pod].push_back(b.throttle + b.network + ServerOf(b) + b.audit);
      EXPECT_GT(b.network, 0);
      EXPECT_GT(b.rest, 0);
      EXPECT_EQ(b.storage == 0, b.code >= 400) << "what is refused is not stored";
    }
    // The dispatcher's own queue is before the call.
    const bool dispatched = std::string(release) == "1.34.1";
    std::size_t compared = 0;
    for (const auto& [pod, stages] : binds) {
      const std::vector<Nanos>& parts = calls[pod];
      for (std::size_t i = 0; i < std::min(stages.size(), parts.size()); ++i, ++compared) {
        if (dispatched) {
          EXPECT_LE(parts[i], stages[i]);
        } else {
          EXPECT_EQ(parts[i], stages[i]) << release << " pod " << pod;
        }
      }
    }
    EXPECT_GT(compared, 200u);
  }
}

/// The increase of a series over the run, summed over what matches.
double Sum(const SimulationResult& run, const std::string& name,
           const std::map<std::string, std::string>& labels) {
  double out = 0;
  for (const Series& series : run.exposition.series) {
    if (series.labels.Get("__name__") != name) continue;
    bool matches = true;
    for (const auto& [label, value] : labels) {
      matches = matches && series.labels.Get(label) == value;
    }
    if (matches) out += series.samples.back().v;
  }
  return out;
}

// Nothing arrives and nothing ends after a minute, so that nothing is under way at the last scrape.
TEST(ApiServer, MetricsOfEachReleaseAreTheTruth) {
  for (const int minor : {20, 23, 26, 30, 34, 36}) {
    SCOPED_TRACE(minor);
    std::string text = fmt::format("kubernetes_version: \"1.{}.9\"\n", minor) + kPath;
    text.replace(text.find("duration: 60s"), 13, "duration: 150s");
    text.replace(text.find("qps: 8"), 6, "qps: 80");
    text +=
        "  - {rate: 0, start: 60s, end: 150s, apiserver: {flowcontrol: {neighbours_rate: 0}}}\n";
    const SimulationResult run = RunScenario(ParseScenario(text, "truth"));
    double server = 0, flow = 0, webhook = 0, bound = 0;
    for (const BindingRecord& b : run.bindings) {
      server += ToSeconds(ServerOf(b));
      flow += ToSeconds(b.flowcontrol);
      webhook += ToSeconds(b.webhook);
      bound += b.code == 201;
    }
    const auto n = static_cast<double>(run.bindings.size());
    const std::map<std::string, std::string> binding = {
        {"verb", "POST"}, {"resource", "pods"}, {"subresource", "binding"}};
    const std::string request = "apiserver_request_duration_seconds";
    EXPECT_EQ(Sum(run, request + "_count", binding), n);
    EXPECT_NEAR(Sum(run, request + "_sum", binding), server, 1e-6 * server);
    std::map<std::string, std::string> created = binding;
    created["code"] = "201";
    EXPECT_EQ(Sum(run, "apiserver_request_total", created), bound);
    // The difference of the two is webhooks, from 1.27 on the queue's wait too.
    if (minor >= 23) {
      const std::string sli = minor >= 26 ? "apiserver_request_sli_duration_seconds_sum"
                                          : "apiserver_request_slo_duration_seconds_sum";
      const double less = webhook + (minor >= 27 ? flow : 0);
      EXPECT_NEAR(Sum(run, request + "_sum", binding) - Sum(run, sli, binding), less, 1e-6 * less);
    }
    const std::map<std::string, std::string> schema = {{"flow_schema", "kube-scheduler"},
                                                       {"priority_level", "workload-high"}};
    EXPECT_NEAR(Sum(run, "apiserver_flowcontrol_request_wait_duration_seconds_sum", schema), flow,
                1e-6 * flow);
    const std::string calls = "apiserver_admission_webhook_admission_duration_seconds_count";
    EXPECT_EQ(Sum(run, calls, {{"name", "first.example"}}), n);
    EXPECT_EQ(Sum(run, calls, {{"name", "pods.example"}}),
              static_cast<double>(run.counts.pods_created));
    // A failed call refuses the binding, unless its policy is Ignore.
    EXPECT_EQ(Sum(run, "apiserver_admission_webhook_rejection_count", {}), n - bound);
    EXPECT_GT(n - bound, 10);
    std::map<std::string, std::string> updates = {{"operation", "update"}};
    updates[minor >= 34 ? "resource" : "type"] = minor < 26 ? "*core.Pod" : "pods";
    EXPECT_GE(Sum(run, "etcd_request_duration_seconds_count", updates), bound);
    EXPECT_GT(Sum(run, "etcd_disk_wal_fsync_duration_seconds_count", {}), 100);
    EXPECT_LE(Sum(run, "etcd_disk_backend_commit_duration_seconds_count", {}), 1500);
  }
}

TEST(ApiServer, WithoutOneTheCaptureIsTheSchedulers) {
  const SimulationResult run = RunScenario(ParseScenario(
      "duration: 30s\ncluster: {nodes: [{count: 3}]}\nworkload: {rate: 5}\n", "plain"));
  EXPECT_TRUE(run.bindings.empty());
  for (const Series& series : run.exposition.series) {
    EXPECT_EQ(series.labels.Get("job"), "kube-scheduler");
  }
  EXPECT_FALSE(run.exposition.types.contains("etcd_disk_wal_fsync_duration_seconds"));
}

TEST(StateMetrics, TellPodsOwnersAndWhenTheyWereScheduled) {
  const Scenario s = Path("1.36");
  const SimulationResult run = RunScenario(s);
  std::map<std::string, double> created, scheduled;
  std::set<std::string> jobs;
  for (const Series& series : run.exposition.series) {
    const std::string_view name = series.labels.Get("__name__");
    jobs.emplace(series.labels.Get("job"));
    const std::string pod(series.labels.Get("pod"));
    if (name == "kube_pod_created") created[pod] = series.samples.front().v;
    if (name == "kube_pod_status_scheduled_time") scheduled[pod] = series.samples.front().v;
    if (name != "kube_pod_owner") continue;
    EXPECT_EQ(series.labels.Get("namespace"), "shop");
    EXPECT_EQ(series.labels.Get("owner_name"), "cart-7f9c");
    EXPECT_FALSE(series.labels.Get("uid").empty());
  }
  EXPECT_THAT(jobs, testing::UnorderedElementsAre("apiserver", "etcd", "kube-scheduler",
                                                  "kube-state-metrics"));
  ASSERT_GT(scheduled.size(), 20u);
  for (const auto& [pod, at] : scheduled) {
    EXPECT_GE(at, created.at(pod)) << pod;
    EXPECT_EQ(at, std::floor(at)) << "whole seconds";
  }
  EXPECT_EQ(Sum(run, "kube_replicaset_owner", {{"owner_name", "cart"}}), 1);
  EXPECT_EQ(Sum(run, "kube_validatingwebhookconfiguration_created",
                {{"validatingwebhookconfiguration", "slow.example"}}),
            static_cast<double>(s.start_time) / 1000);
}

TEST(ApiServer, ShortOfProcessorsEveryPartSlowsButTheDiskDoesNot) {
  const std::string base =
      "kubernetes_version: \"1.36\"\nduration: 100s\nincident: {start: 50s, end: 100s}\n"
      "cluster: {nodes: [{count: 10, cpu: 64}]}\nworkload: {rate: 10}\n"
      "apiserver: {cpu: {cores: 1, request_cost: 0.001}}\n"
      "faults:\n  - apiserver: {cpu: {neighbours_rate: 9, neighbours_cost: \"0.1\"}}\n";
  const SimulationResult run = RunScenario(ParseScenario(base, "cpu"));
  double storage[2] = {0, 0}, rest[2] = {0, 0}, count[2] = {0, 0};
  for (const BindingRecord& b : run.bindings) {
    const bool during = b.end > 60 * kSecond;
    storage[during] += ToSeconds(b.storage);
    rest[during] += ToSeconds(b.rest);
    ++count[during];
  }
  EXPECT_GT(storage[1] / count[1], 3 * storage[0] / count[0]);
  EXPECT_GT(rest[1] / count[1], 3 * rest[0] / count[0]);
  EXPECT_LT(Sum(run, "etcd_disk_wal_fsync_duration_seconds_sum", {}) /
                Sum(run, "etcd_disk_wal_fsync_duration_seconds_count", {}),
            0.004);
  EXPECT_GT(Sum(run, "go_sched_latencies_seconds_sum", {}), 1);
  EXPECT_NEAR(Sum(run, "apiserver_request_duration_seconds_count", {{"verb", "LIST"}}), 450, 80);
}

TEST(ApiServer, TheWayToEtcdAndTheCpuOfARequestVary) {
  const std::string base =
      "kubernetes_version: \"1.36\"\nduration: 100s\nincident: {start: 50s, end: 100s}\n"
      "cluster: {nodes: [{count: 10, cpu: 64}]}\nworkload: {rate: 10}\n"
      "apiserver:\n  etcd: {fsync: \"0.001\", network: \"u(0.01,0.05)\"}\n"
      "  cpu: {cores: 64, request_cost: \"0.5*ln(0.001,0)+0.5*ln(0.2,0)\"}\n";
  const SimulationResult run = RunScenario(ParseScenario(base, "vary"));
  ASSERT_GT(run.bindings.size(), 500u);
  double storage = 0, rest = 0, slow = 0, least = 1, most = 0;
  for (const BindingRecord& b : run.bindings) {
    storage += ToSeconds(b.storage);
    least = std::min(least, ToSeconds(b.storage));
    most = std::max(most, ToSeconds(b.storage));
    rest += ToSeconds(b.rest);
    if (ToSeconds(b.rest) > 0.19) ++slow;
  }
  const auto n = static_cast<double>(run.bindings.size());
  EXPECT_NEAR(storage / n, 0.03 + 0.001, 0.003);
  EXPECT_LT(least, 0.015);
  EXPECT_GT(most, 0.045);
  EXPECT_NEAR(slow / n, 0.5, 0.06);
  EXPECT_NEAR(rest / n, 0.1005, 0.015);
}

TEST(ApiServer, ScrapingChangesNothing) {
  RunOptions quiet;
  quiet.scrape = false;
  const Scenario s = Path("1.36");
  EXPECT_EQ(BindingsCsv(s, RunScenario(s)), BindingsCsv(s, RunScenario(s, quiet)));
}

}  // namespace
}  // namespace schedlens::sim
