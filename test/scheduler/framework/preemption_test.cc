#include <gtest/gtest.h>

#include "scheduler/bed.h"
#include "scheduler/framework/algorithm.h"

namespace schedlens::sim::core {
namespace {

std::string Spec(int cpu, int priority, const char* more = "") {
  return fmt::format("{{{}, priority: {}{}}}", Containers(cpu, 64), priority, more);
}

struct Preempted {
  PreemptionResult result;
  Outcome outcome = Outcome::kError;
  PreemptionDetail detail;
};

Preempted Preempt(Bed& bed, PodId pod) {
  Algorithm algorithm(bed.cluster, DefaultConfiguration(Release{26}), 0);
  Random random(1);
  ScheduleResult scheduled;
  algorithm.Schedule(pod, random, nullptr, scheduled);
  Preempted out;
  out.outcome = scheduled.outcome;
  algorithm.Preempt(pod, random, out.result);
  out.detail = algorithm.preemption();
  return out;
}

TEST(Preemption, TakesTheLeastImportantPodsThatMakeRoom) {
  Bed bed;
  const NodeId node = bed.Node("n", "{}", 2);
  const PodId old = bed.Pod(bed.Spec("{}", Spec(1000, 0)), node);
  const PodId young = bed.Pod(bed.Spec("{}", Spec(1000, 0)), node);
  bed.cluster.SetStart(old, 1000);
  bed.cluster.SetStart(young, 2000);
  const auto [result, outcome, detail] = Preempt(bed, bed.Pod(bed.Spec("{}", Spec(1000, 10))));
  EXPECT_EQ(outcome, Outcome::kUnschedulable);
  EXPECT_EQ(result.node, node);
  EXPECT_EQ(result.victims, std::vector<PodId>{young});
}

TEST(Preemption, PrefersNodesWithoutBudgetViolationAndLowerVictims) {
  Bed bed;
  Strings& strings = bed.cluster.strings();
  const NodeId guarded = bed.Node("guarded", "{}", 1), high = bed.Node("high", "{}", 1),
               low = bed.Node("low", "{}", 1);
  DisruptionBudget budget;
  budget.namespace_name = strings.Intern("default");
  budget.selector = {false, {{strings.Intern("app"), Operator::kIn, {strings.Intern("db")}}}};
  bed.cluster.PutBudget(budget);
  bed.Pod(bed.Spec("{app: db}", Spec(1000, 0)), guarded);
  bed.Pod(bed.Spec("{}", Spec(1000, 7)), high);
  const PodId victim = bed.Pod(bed.Spec("{}", Spec(1000, 5)), low);
  const auto [result, outcome, detail] = Preempt(bed, bed.Pod(bed.Spec("{}", Spec(1000, 10))));
  ASSERT_EQ(detail.candidates.size(), 3U);
  EXPECT_EQ(result.node, low);
  EXPECT_EQ(result.victims, std::vector<PodId>{victim});
  for (const Candidate& candidate : detail.candidates) {
    EXPECT_EQ(candidate.pdb_violations, candidate.node == guarded);
  }
}

TEST(Preemption, From127OnlyVictimsOfASchedulerKeepAPodWaiting) {
  for (const int minor : {26, 27}) {
    Bed bed(minor);
    const NodeId node = bed.Node("n", "{}", 1);
    const PodId going = bed.Pod(bed.Spec("{}", Spec(1000, 0)), node);
    bed.cluster.SetTerminating(going, false);
    const PodId pod = bed.Pod(bed.Spec("{}", Spec(1000, 10)));
    bed.cluster.Nominate(pod, node);
    Algorithm algorithm(bed.cluster, DefaultConfiguration(Release{minor}), 0);
    Random random(1);
    ScheduleResult scheduled;
    algorithm.Schedule(pod, random, nullptr, scheduled);
    PreemptionResult result;
    algorithm.Preempt(pod, random, result);
    EXPECT_EQ(result.eligible, minor == 27);
  }
}

TEST(Preemption, From133VictimsThatAreGoingClearNoNominations) {
  for (const int minor : {32, 33}) {
    for (const bool going : {false, true}) {
      Bed bed(minor);
      const NodeId node = bed.Node("n", "{}", 1);
      const PodId victim = bed.Pod(bed.Spec("{}", Spec(1000, 0)), node);
      if (going) bed.cluster.SetTerminating(victim);
      const PodId other = bed.Pod(bed.Spec("{}", Spec(1000, 5)));
      bed.cluster.Nominate(other, node);
      const PodId pod = bed.Pod(bed.Spec("{}", Spec(1000, 10)));
      Algorithm algorithm(bed.cluster, DefaultConfiguration(Release{minor}), 0);
      Random random(1);
      ScheduleResult scheduled;
      algorithm.Schedule(pod, random, nullptr, scheduled);
      PreemptionResult result;
      algorithm.Preempt(pod, random, result);
      EXPECT_EQ(result.node, node);
      EXPECT_EQ(result.clear_nominations.empty(), going && minor == 33) << minor;
    }
  }
}

TEST(Preemption, NotForNeverNorForPodsThatWaitForTheirVictims) {
  Bed bed;
  const NodeId node = bed.Node("n", "{}", 1);
  const PodId victim = bed.Pod(bed.Spec("{}", Spec(1000, 0)), node);
  EXPECT_FALSE(Preempt(bed, bed.Pod(bed.Spec("{}", Spec(1000, 10, ", preemptionPolicy: Never"))))
                   .result.eligible);
  const PodId pod = bed.Pod(bed.Spec("{}", Spec(1000, 10)));
  bed.cluster.SetTerminating(victim);
  EXPECT_TRUE(Preempt(bed, pod).result.eligible);
  bed.cluster.Nominate(pod, node);
  EXPECT_FALSE(Preempt(bed, pod).result.eligible);
}

TEST(Preemption, NodesThatCannotHelpAreNotTried) {
  Bed bed;
  const NodeId node = bed.Node("n", "{}", 1, 8, 110, "{unschedulable: true}");
  bed.Pod(bed.Spec("{}", Spec(1000, 0)), node);
  const auto [result, outcome, detail] = Preempt(bed, bed.Pod(bed.Spec("{}", Spec(1000, 10))));
  EXPECT_EQ(result.potential_nodes, 0);
  EXPECT_EQ(result.node, kNone);
}

TEST(Preemption, WhatItChoosesReallyFitsAfterwards) {
  int preempted = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    Bed bed;
    RandomNodes(bed, random, 6);
    Algorithm algorithm(bed.cluster, DefaultConfiguration(Release{26}), 0);
    ScheduleResult scheduled;
    PreemptionResult result;
    for (int i = 0; i < 80; ++i) {
      const PodId pod = bed.Pod(bed.Spec(RandomLabels(random), RandomSpec(random)));
      algorithm.Schedule(pod, random, nullptr, scheduled);
      if (scheduled.outcome == Outcome::kScheduled) {
        bed.cluster.BindPod(pod, scheduled.node);
        continue;
      }
      algorithm.Preempt(pod, random, result);
      if (result.node == kNone) {
        bed.cluster.DeletePod(pod);
        continue;
      }
      for (const PodId victim : result.victims) {
        ASSERT_LT(bed.cluster.SpecOf(victim).priority, bed.cluster.SpecOf(pod).priority);
        ASSERT_EQ(bed.cluster.pod(victim).node, result.node);
        bed.cluster.DeletePod(victim);
      }
      bed.cluster.Nominate(pod, result.node);
      algorithm.Schedule(pod, random, nullptr, scheduled);
      ASSERT_EQ(scheduled.outcome, Outcome::kScheduled) << algorithm.FailureMessage();
      EXPECT_TRUE(scheduled.nominated_node_shortcut);
      bed.cluster.BindPod(pod, scheduled.node);
      ++preempted;
    }
  }
  EXPECT_GT(preempted, 50);
}

}  // namespace
}  // namespace schedlens::sim::core
