// The world outside the scheduler: arrivals, roll-outs, leaders and nodes that go.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

Scenario Tiny(const std::string& rest) {
  return ParseScenario(
      "duration: 100s\nincident: {start: 20s, end: 80s}\ncluster: {nodes: [{count: 5, cpu: 1000, "
      "memory: 8Ti, pods: 10000}]}\n" +
          rest,
      "tiny");
}

TEST(World, PodsArriveAtTheirRateAndInTheirShares) {
  const Scenario s = Tiny(
      "scheduler: {qps: 500, burst: 500}\n"
      "workload: {rate: 30, burst: 3, templates: [{name: a, weight: 3}, {name: b, weight: 1}]}\n"
      "faults: [{rate: 60, weights: {a: 0}}]");
  const SimulationResult run = RunScenario(s, {1, true, false, {}});
  std::map<std::pair<bool, std::uint32_t>, double> count;
  for (const AttemptRecord& a : run.attempts) {
    const bool in = a.start > s.incident_start && a.start < s.incident_end;
    ++count[{in, run.pods[a.pod].pod_template}];
  }
  const double before = count[{false, 0}] + count[{false, 1}];
  EXPECT_NEAR(before / 40, 30, 5);
  EXPECT_NEAR((count[{false, 0}]) / before, 0.75, 0.05);
  EXPECT_NEAR((count[{true, 1}]) / 60, 60, 6);
  EXPECT_LE((count[{true, 0}]), 3) << "what arrived just before";
}

TEST(World, ARollOutKeepsItsSurge) {
  const Scenario s =
      Tiny("workload: {rate: 0}\nactions: [{at: 1s, do: roll_out, count: 200, surge: 10}]");
  const auto simulation = StartSimulation(s, {1, true, false, {}});
  simulation->AdvanceTo(s.duration);
  const SimulationResult run = simulation->Finish();
  EXPECT_EQ(run.counts.pods_created, 200u);
  EXPECT_EQ(run.counts.pods_bound, 200u);
  std::vector<std::pair<Nanos, int>> edges;
  for (const AttemptRecord& a : run.attempts) {
    edges.emplace_back(a.start, 1);
    edges.emplace_back(a.start + a.e2e, -1);
  }
  std::sort(edges.begin(), edges.end());
  int open = 0, most = 0;
  for (const auto& [t, change] : edges) most = std::max(most, open += change);
  EXPECT_LE(most, 10);
  EXPECT_GE(most, 5);
}

TEST(World, PodsOfADeletedNodeGoAndAnEmptyClusterSchedulesNothing) {
  const Scenario s = Tiny(
      "workload: {rate: 10, templates: [{name: a}]}\n"
      "actions: [{at: 50s, do: delete_nodes, count: 4}]");
  const SimulationResult run = RunScenario(s, {1, true, false, {}});
  EXPECT_GT(run.counts.pods_deleted_bound, 200u);
  std::set<int> after;
  for (const AttemptRecord& a : run.attempts) {
    if (a.start > 51 * kSecond && a.node >= 0) after.insert(a.node);
  }
  EXPECT_EQ(after.size(), 1u) << "the last node stays";
}

TEST(World, AStandbyTakesOverWhereTheLeaderDied) {
  const Scenario s = Tiny(
      "workload: {rate: 10}\nscrape: {replicas: 2}\n"
      "actions: [{at: 50s, do: leader_change, for: 15s}]");
  const SimulationResult run = RunScenario(s);
  for (const AttemptRecord& a : run.attempts) {
    EXPECT_FALSE(a.start > 50 * kSecond && a.start < 65 * kSecond);
  }
  const auto last = LastBy(run, "scheduler_pod_scheduling_attempts_count", "pod");
  EXPECT_GT(last.at("kube-scheduler-1"), 300) << "the gap's backlog and what came after";
  EXPECT_EQ(last.at("kube-scheduler-0"), 0) << "back, idle";
  EXPECT_LT(run.counts.pods_pending, 5u);
}

TEST(World, AGroupIsBoundTogetherOrNotAtAll) {
  const Scenario s = Tiny(
      "workload: {rate: 4, templates: [{name: g, gang: 4}]}\n"
      "scheduler: {permit_timeout: 3}\n"
      "costs: {gang_spread: \"u(0,2)\"}");
  const SimulationResult run = RunScenario(s, {1, true, false, {}});
  for (const AttemptRecord& a : run.attempts) {
    if (a.result != AttemptResult::kScheduled) continue;
    EXPECT_LE(a[AttemptStage::kPermitWait], 3 * kSecond);
  }
  EXPECT_GT(run.counts.pods_bound, 200u);
}

// From 1.36 with pod groups: one cycle tries all members, so that they start together and nobody
// waits on Permit.
TEST(World, APodGroupIsTriedInOneCycle) {
  const Scenario s = Tiny(
      "kubernetes_version: 1.36\n"
      "workload: {rate: 4, templates: [{name: g, gang: 4}]}\n"
      "scheduler: {pod_groups: true}\n"
      "costs: {gang_spread: \"u(0,2)\"}");
  const SimulationResult run = RunScenario(s);
  ASSERT_GT(run.attempts.size(), 200u);
  EXPECT_EQ(run.attempts.size() % 4, 0u) << "no member is tried before the group is complete";
  for (const AttemptRecord& a : run.attempts) {
    EXPECT_EQ(a.result, AttemptResult::kScheduled);
    EXPECT_EQ(a[AttemptStage::kPermitWait], 0);
  }
  const double groups = Last(run, "scheduler_podgroup_schedule_attempts_total");
  EXPECT_GT(groups, 50);
  EXPECT_EQ(Last(run, "scheduler_podgroup_scheduling_algorithm_duration_seconds_count"), groups);
  EXPECT_EQ(Last(run, "scheduler_scheduling_algorithm_duration_seconds_count"), 4 * groups);
  // On the loop a member's algorithm is a part of its group's.
  EXPECT_LE(Last(run, "scheduler_scheduling_algorithm_duration_seconds_sum"),
            Last(run, "scheduler_podgroup_scheduling_algorithm_duration_seconds_sum"));
}

TEST(World, APodGroupThatDoesNotFitFailsAsAWhole) {
  const Scenario s = Tiny(
      "kubernetes_version: 1.36\n"
      "workload: {rate: 2, templates: [{name: g, gang: 6, cpu: 600}]}\n"
      "scheduler: {pod_groups: true}\n"
      "actions: [{at: 50s, do: add_nodes, count: 7}]");
  const SimulationResult run = RunScenario(s);
  ASSERT_GT(run.attempts.size(), 20u);
  EXPECT_EQ(run.attempts.size() % 6, 0u);
  std::size_t bound = 0;
  for (const AttemptRecord& a : run.attempts) {
    if (a.result == AttemptResult::kScheduled) ++bound;
    EXPECT_FALSE(a.result == AttemptResult::kScheduled && a.start < 50 * kSecond)
        << "five of six would fit";
  }
  EXPECT_EQ(bound, 12u) << "two groups of six on twelve nodes";
  auto groups = LastBy(run, "scheduler_podgroup_schedule_attempts_total", "result");
  EXPECT_EQ(groups["scheduled"], 2);
  EXPECT_GT(groups["unschedulable"], 10);
}

TEST(World, APodGroupNeedsItsRelease) {
  const Scenario s = Tiny(
      "kubernetes_version: 1.35\n"
      "workload: {rate: 4, templates: [{name: g, gang: 4}]}\n"
      "scheduler: {pod_groups: true}\n"
      "costs: {gang_spread: \"u(0,2)\"}");
  const SimulationResult run = RunScenario(s);
  Nanos waited = 0;
  for (const AttemptRecord& a : run.attempts) waited += a[AttemptStage::kPermitWait];
  EXPECT_GT(waited, 0);
}

}  // namespace
}  // namespace schedlens::sim
