// Whole runs: the scheduler's metrics of each release, and that they agree with each other.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/series.h"
#include "kube/metrics.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

// Pods that fit nowhere beside pods that do, so that events, hints and failures happen.
Scenario Busy(const std::string& release) {
  return ParseScenario(
      "kubernetes_version: \"" + release +
          "\"\nduration: 60s\ncluster:\n  nodes: [{count: 5, cpu: 4}]\nworkload:\n  rate: 5\n"
          "  templates:\n    - {name: web, cpu: 100m, life: \"u(5,10)\"}\n"
          "    - {name: big, cpu: 64, never_fits: NodeResourcesFit, weight: 0.3}\n",
      "busy");
}

/// The last value of each series, by name and labels.
std::map<std::string, double> LastOf(const SimulationResult& result) {
  std::map<std::string, double> out;
  for (const Series& series : result.exposition.series) {
    std::string key(series.labels.Get("__name__"));
    for (const char* label : {"event", "result", "hint", "queue", "extension_point", "reason"}) {
      if (series.labels.Has(label)) key += fmt::format(" {}", series.labels.Get(label));
    }
    out[key] += series.samples.back().v;
  }
  return out;
}

TEST(ReleaseMetrics, EveryExportedFamilyIsVisibleInTheRelease) {
  for (int minor = Release::kOldest; minor <= Release::kNewest; ++minor) {
    const SimulationResult result = RunScenario(Busy(fmt::format("1.{}", minor)));
    std::set<std::string> seen;
    for (const Series& series : result.exposition.series) {
      const std::string_view name = series.labels.Get("__name__");
      const kube::MetricRow* row = kube::FindMetric(name);
      if (row == nullptr) continue;
      seen.emplace(row->name);
      EXPECT_EQ(PresenceIn(*row, minor), kube::Presence::kVisible) << name << " in 1." << minor;
      for (const std::string_view label : EraIn(*row, minor).labels) {
        EXPECT_TRUE(series.labels.Has(label)) << name << " lacks " << label << " in 1." << minor;
      }
    }
    EXPECT_TRUE(seen.contains(minor < 23 ? "scheduler_e2e_scheduling_duration_seconds"
                                         : "scheduler_scheduling_attempt_duration_seconds"));
    EXPECT_EQ(seen.contains("scheduler_pod_preemption_victims"), minor == 18);
    EXPECT_EQ(seen.contains("scheduler_scheduling_algorithm_predicate_evaluation_seconds"),
              minor <= 19);
    EXPECT_EQ(seen.contains("scheduler_event_handling_duration_seconds"), minor >= 31);
    EXPECT_EQ(seen.contains("scheduler_queueing_hint_execution_duration_seconds"), minor >= 32);
    EXPECT_EQ(seen.contains("scheduler_inflight_events"), minor >= 32);
    EXPECT_EQ(seen.contains("scheduler_batch_attempts_total"), minor >= 35);
    EXPECT_EQ(seen.contains("scheduler_pod_scheduled_after_flush_total"), minor >= 36);
    EXPECT_FALSE(seen.contains("scheduler_podgroup_schedule_attempts_total")) << "gate off";
  }
}

TEST(ReleaseMetrics, CountsOfTheNewestAgree) {
  const SimulationResult result = RunScenario(Busy("1.36"));
  auto last = LastOf(result);
  const double scheduled = last["scheduler_schedule_attempts_total scheduled"];
  const double failed = last["scheduler_schedule_attempts_total unschedulable"];
  ASSERT_GT(scheduled, 100);
  ASSERT_GT(failed, 10);
  // Those of an attempt that runs at the scrape are ahead of it.
  EXPECT_NEAR(last["scheduler_batch_attempts_total no_hint"], scheduled + failed, 3);
  EXPECT_NEAR(last["scheduler_store_schedule_results_duration_seconds_count"], scheduled, 3);
  EXPECT_NEAR(last["scheduler_batch_cache_flushed_total pod_not_batchable"], scheduled, 3);
  EXPECT_NEAR(last["scheduler_event_handling_duration_seconds_count AssignedPodAdd"], scheduled, 3);
  EXPECT_EQ(last["scheduler_event_handling_duration_seconds_count NodeAdd"], 5);
  EXPECT_EQ(last["scheduler_event_handling_duration_seconds_count UnschedulablePodAdd"],
            last["scheduler_queue_incoming_pods_total UnschedulablePodAdd active"]);
  EXPECT_GT(
      last["scheduler_queueing_hint_execution_duration_seconds_count AssignedPodDelete Queue"], 0);
  EXPECT_LE(last["scheduler_inflight_events PodPopped"], 16);
}

TEST(ReleaseMetrics, TheOldestObservesWhatItHasBound) {
  auto last = LastOf(RunScenario(Busy("1.18")));
  const double scheduled = last["scheduler_schedule_attempts_total scheduled"];
  ASSERT_GT(last["scheduler_schedule_attempts_total unschedulable"], 10);
  EXPECT_EQ(last["scheduler_e2e_scheduling_duration_seconds_count"], scheduled);
  EXPECT_NEAR(last["scheduler_scheduling_algorithm_predicate_evaluation_seconds_count"], scheduled,
              3);
  EXPECT_EQ(last["scheduler_total_preemption_attempts"],
            last["scheduler_schedule_attempts_total unschedulable"]);
}

}  // namespace
}  // namespace schedlens::sim
