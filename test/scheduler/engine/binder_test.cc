// The binding goroutines: limiter, extenders, claims, groups.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "scheduler/base/random.h"
#include "scheduler/engine/truth.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

TEST(BindingCycle, ClientThrottlingBindsAtExactlyTheQps) {
  const Scenario s = Short("bind.client-throttling");
  const SimulationResult run = RunScenario(s, {1, true, false, {}});
  double bound = 0;
  for (const AttemptRecord& a : run.attempts) {
    const Nanos end = a.start + a.e2e;
    bound += end > 300 * kSecond && end <= 500 * kSecond;
  }
  EXPECT_NEAR(bound / 200, 20, 0.1);
}

TEST(BindingCycle, AnExtendersBindLeavesNoBindPoint) {
  const SimulationResult run = RunScenario(Short("bind.extender"), {1, true, true, {}});
  const auto points =
      LastBy(run, "scheduler_framework_extension_point_duration_seconds_count", "extension_point");
  EXPECT_FALSE(points.contains("Bind"));
  EXPECT_GT(points.at("PostBind"), 1000);
}

TEST(BindingCycle, APodWithALateClaimWaitsWholeSeconds) {
  const SimulationResult run = RunScenario(Short("prebind.volume"), {1, true, false, {}});
  int waited = 0;
  for (const AttemptRecord& a : run.attempts) {
    if (a.result != AttemptResult::kScheduled || a[AttemptStage::kPreBind] < kSecond / 2) continue;
    ++waited;
    EXPECT_GE(a[AttemptStage::kPreBind], kSecond);
    EXPECT_LT(a[AttemptStage::kPreBind] % kSecond, kSecond / 5);
  }
  EXPECT_GT(waited, 500);
}

// From 1.35 on the chosen node is written first where PreBind or Permit have work.
TEST(BindingCycle, PodsWithLateClaimsCostOneMoreWriteFrom135On) {
  for (const auto& [version, writes] :
       std::map<const char*, bool>{{"1.34", false}, {"1.35", true}, {"1.36", true}}) {
    const Scenario s = ParseScenario(
        "duration: 60s\nincident: {start: 10s, end: 50s}\nkubernetes_version: \"" +
            std::string(version) +
            "\"\ncluster: {nodes: [{count: 20}]}\nworkload: {rate: 5, costs: {write_api: 30ms, "
            "bind_client: 0}, templates: [{name: late, claim: true, life: 5s}, {name: web, life: "
            "5s}]}",
        "claims");
    const SimulationResult run = RunScenario(s, {1, true, true, {}});
    int told = 0, late = 0;
    for (const AttemptRecord& a : run.attempts) {
      if (a.result != AttemptResult::kScheduled) continue;
      const bool claim = run.pods[a.pod].pod_template == 0;
      late += claim;
      EXPECT_EQ(a[AttemptStage::kNominate] >= 30 * kMillisecond, writes && claim) << version;
      told += a[AttemptStage::kNominate] > 0;
      Nanos sum = a.algorithm;
      for (int stage = static_cast<int>(AttemptStage::kAssume);
           stage <= static_cast<int>(AttemptStage::kFinish); ++stage) {
        sum += a.stages[static_cast<std::size_t>(stage)];
      }
      EXPECT_EQ(sum, a.e2e);
    }
    EXPECT_GT(late, 50);
    EXPECT_EQ(told, writes ? late : 0) << version;
    EXPECT_EQ(
        LastBy(run, "scheduler_framework_extension_point_duration_seconds_count", "extension_point")
            .contains("PreBindPreFlight"),
        writes)
        << version;
  }
}

// Permit is the last point that events may make a pod schedulable for.
TEST(BindingCycle, APodThatBindsIsNoLongerInFlightFromPreBindOn) {
  for (const auto& [point, flies] :
       std::map<std::string, bool>{{"permit_wait", true}, {"prebind_wait", false}}) {
    const Scenario s = ParseScenario(
        "duration: 60s\nincident: {start: 10s, end: 50s}\nkubernetes_version: \"1.34\"\ncluster: "
        "{nodes: [{count: 20}]}\nworkload: {rate: 10, costs: {" +
            point + ": 4s}, templates: [{name: web, life: 5s}]}",
        "slow");
    const SimulationResult run = RunScenario(s, {1, true, true, {}});
    const double flying = LastBy(run, "scheduler_inflight_events", "event")["PodPopped"];
    EXPECT_EQ(flying > 10, flies) << point << " " << flying;
  }
}

// A binding costs the same CPU time whoever sends it.
TEST(BindingCycle, DispatchedBindingsCostCpuToo) {
  const auto cpu = [](const char* async) {
    const Scenario s = ParseScenario(
        "duration: 60s\nincident: {start: 10s, end: 50s}\nkubernetes_version: \"1.34\"\ncluster: "
        "{nodes: [{count: 20}]}\nscheduler: {async_api_calls: " +
            std::string(async) + "}\nworkload: {rate: 20, templates: [{name: web, life: 5s}]}",
        "async");
    return Last(RunScenario(s, {1, true, true, {}}), "process_cpu_seconds_total");
  };
  EXPECT_NEAR(cpu("true") / cpu("false"), 1, 0.05);
}

// DefaultBinder's call waits for the dispatcher; what another Bind plugin takes is on top of it.
TEST(BindingCycle, APluginsBindTimeIsNoPartOfTheDispatchedCall) {
  for (const char* async : {"true", "false"}) {
    const Scenario s = ParseScenario(
        "duration: 60s\nincident: {start: 10s, end: 50s}\nkubernetes_version: \"1.34\"\ncluster: "
        "{nodes: [{count: 20}]}\nscheduler:\n  async_api_calls: " +
            std::string(async) +
            "\n  plugins: {Slow: {bind: 80ms}}\n  configuration: {apiVersion: "
            "kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: "
            "[{plugins: "
            "{bind: {enabled: [{name: Slow}]}}}]}\nworkload: {rate: 20, templates: [{name: web, "
            "life: 5s}]}",
        "slow");
    const SimulationResult run = RunScenario(s, {1, true, true, {}});
    ASSERT_GT(run.attempts.size(), 1000u);
    for (const AttemptRecord& a : run.attempts) {
      EXPECT_GE(a[AttemptStage::kBind], 80 * kMillisecond);
    }
    const double calls = Last(run, "scheduler_async_api_call_execution_duration_seconds_count");
    const double seconds = Last(run, "scheduler_async_api_call_execution_duration_seconds_sum");
    EXPECT_EQ(calls > 1000, std::string(async) == "true");
    EXPECT_LT(seconds, 0.05 * std::max(calls, 1.0)) << async;
  }
}

}  // namespace
}  // namespace schedlens::sim
