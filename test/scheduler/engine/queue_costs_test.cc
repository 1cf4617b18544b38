#include <gtest/gtest.h>

#include "scheduler/engine/replicas.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

TEST(QueueCosts, FollowTheMeasuredCalls) {
  const cost::UnitCosts new_units(Release{36}), old_units(Release{30});
  // Measured: 1,000 pods, NodeResourcesFit asked about a node and saying Skip: 5.27 us a pod.
  const double asked =
      MoveUs(new_units, 1, 1) + HintUs(new_units, kRejectedByResources, PodEvent::kNodeAdd);
  EXPECT_NEAR(asked, 5.27, 1.1);
  EXPECT_NEAR(MoveUs(new_units, 1000, 0), 3710, 1);
  EXPECT_NEAR(MoveUs(old_units, 1000, 0), 2000, 1);
  EXPECT_NEAR(MoveUs(old_units, 1000, 1000), 894, 1);
  EXPECT_EQ(MoveUs(new_units, 0, 0), 0);
  EXPECT_GT(HintUs(new_units, kRejectedByTopologySpread, PodEvent::kNodeDelete),
            HintUs(new_units, kRejectedByTopologySpread, PodEvent::kAssignedPodDelete));
  EXPECT_EQ(HintUs(new_units, kRejectedByGates, PodEvent::kNodeAdd), 0);
}

// Pods that fit nowhere wait while others come and go: only looking through them makes the
// difference.
TEST(QueueCosts, ProcessesPayForLookingThroughTheUnschedulablePods) {
  const auto play = [](const std::string& units) {
    const Scenario s = ParseScenario(
        "duration: 60s\nincident: {start: 10s, end: 50s}\nkubernetes_version: \"1.36\"\n"
        "cluster: {nodes: [{count: 3}]}\nunit_costs: {" +
            units +
            "}\n"
            "workload: {rate: 20, templates: [{name: web, life: 2s}, {name: big, weight: 0, "
            "never_fits: NodeAffinity}]}\nactions: [{at: 0s, do: burst, count: 200, template: "
            "big}]",
        "waiting");
    return RunScenario(s, {1, true, true, {}});
  };
  const SimulationResult charged = play("queue.Move.perPod: 100");
  const SimulationResult free = play("queue.Move.perPod: 0");
  auto heard = LastBy(charged, "scheduler_event_handling_duration_seconds_count", "event");
  const double events = heard["AssignedPodAdd"] + heard["AssignedPodDelete"];
  EXPECT_GT(events, 1500);
  // Each looks at 200 pods, once they have failed.
  const double expected = events * 200 * 100e-6;
  EXPECT_NEAR(Last(charged, "process_cpu_seconds_total") - Last(free, "process_cpu_seconds_total"),
              expected, 0.02 * expected);
}

}  // namespace
}  // namespace schedlens::sim
