// The simulator at wall-clock speed under a real Prometheus: it is scraped, and an alert fires.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "cli/process.h"
#include "e2e/recorded.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// Every bind takes two to four seconds.
constexpr char kScenario[] = R"yaml(
name: slow
kubernetes_version: "1.26"
duration: 10m
cluster: {nodes: [{count: 5}]}
scrape: {replicas: 2}
workload: {rate: 40, templates: [{name: web, life: "u(1,3)"}]}
costs: {bind_api: "u(2,4)"}
)yaml";

constexpr char kRules[] = R"yaml(groups:
- name: scheduler
  interval: 1s
  rules:
  - alert: SchedulerSlow
    expr: histogram_quantile(0.99, sum by (le) (rate(scheduler_scheduling_attempt_duration_seconds_bucket{job="kube-scheduler"}[10s]))) > 1
    for: 2s
)yaml";

TEST(Serve, PrometheusScrapesItAndTheAlertFires) {
  if (!Installed("prometheus")) GTEST_SKIP() << "no prometheus";
  const TempDir work;
  std::ofstream(work.path() / "slow.yaml") << kScenario;
  std::ofstream(work.path() / "rules.yml") << kRules;
  const int port = FreePort();
  const fs::path log = work.path() / "simulate.log";
  const fs::path truth = work.path() / "truth.csv";
  Process simulator({SCHEDLENS_BINARY, "simulate", (work.path() / "slow.yaml").string(), "--serve",
                     std::to_string(port), "--serve-from", "20s", "--truth", truth.string()},
                    log);
  const auto server = StartConfigured(
      work.path(),
      fmt::format("global: {{scrape_interval: 1s, evaluation_interval: 1s}}\n"
                  "rule_files: [rules.yml]\n"
                  "scrape_configs: [{{job_name: kube-scheduler, static_configs: [{{targets: "
                  "['127.0.0.1:{}', '127.0.0.1:{}']}}]}}]\n",
                  port, port + 1),
      "/-/ready");
  long status = 0;
  json alert;
  for (const auto deadline = Clock::now() + std::chrono::seconds(120); alert.is_null();) {
    ASSERT_LT(Clock::now(), deadline) << ReadFile(log.string());
    ASSERT_TRUE(simulator.Running()) << ReadFile(log.string());
    const json answer = json::parse(server->client().Get(server->url() + "/api/v1/alerts", &status),
                                    nullptr, false);
    if (status != 200) continue;
    for (const json& each : answer.at("data").at("alerts")) {
      if (each.at("state") == "firing") alert = each;
    }
  }
  EXPECT_EQ(alert.at("labels").at("alertname"), "SchedulerSlow");
  // All binds lie in (2.048, 4.096], so that the quantile does, too.
  const double p99 = std::stod(alert.at("value").get<std::string>());
  EXPECT_GT(p99, 2.048);
  EXPECT_LE(p99, 4.096);
  const auto query = [&](const std::string& text) {
    const std::string form = server->client().Form({{"query", text}});
    return json::parse(
        server->client().Get(server->url() + "/api/v1/query?" + form, &status))["data"]["result"];
  };
  const json up = query("sum(up)");
  ASSERT_EQ(up.size(), 1u);
  EXPECT_EQ(up[0]["value"][1], "2") << "leader and standby";
  // The processes started a moment ago, by the same clock as the server's.
  const json age = query("time() - max(process_start_time_seconds)");
  ASSERT_EQ(age.size(), 1u);
  const double seconds = std::stod(age[0]["value"][1].get<std::string>());
  EXPECT_GT(seconds, 15);
  EXPECT_LT(seconds, 300);

  simulator.Interrupt();
  EXPECT_EQ(simulator.Wait(), 130);
  EXPECT_NE(ReadFile(log.string()).find("schedlens: interrupted\n"), std::string::npos);
  EXPECT_NE(ReadFile(truth.string()).find(",scheduled,node-"), std::string::npos);
}

}  // namespace
}  // namespace schedlens::test
