#include "scheduler/framework/algorithm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <set>

#include "scheduler/bed.h"
#include "scheduler/framework/framework.h"

namespace {
std::atomic<std::int64_t> allocations{0};
}  // namespace

// Counts what the scheduling cycle asks of the heap. Not inlined: GCC would otherwise see free()
// meet what it takes for another kind of memory.
__attribute__((noinline)) void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace schedlens::sim::core {
namespace {

TEST(Algorithm, FindsWhatTheSlowPathFindsOverRandomClusters) {
  for (const int minor : {20, 23, 26, 30, 34}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Random random(seed);
      Bed bed(minor);
      RandomNodes(bed, random, 20);
      Configuration configuration = DefaultConfiguration(Release{minor});
      configuration.percentage_of_nodes_to_score = 100;
      Algorithm fast(bed.cluster, configuration, 0);
      Framework slow(bed.cluster, configuration, 0, {});
      ScheduleResult result;
      for (int i = 0; i < 60; ++i) {
        const PodId pod = bed.Pod(bed.Spec(RandomLabels(random), RandomSpec(random)));
        fast.Schedule(pod, random, nullptr, result);
        const Attempt attempt = slow.MakeAttempt(pod);
        PreFilterNodes subset;
        std::int32_t rejecting = kNone;
        ASSERT_EQ(slow.PreFilter(attempt, subset, rejecting), Code::kSuccess);
        std::vector<NodeId> feasible;
        for (const NodeId node : bed.cluster.order()) {
          // The slow path: every filter on a copy of the node.
          bool ok = true;
          const NodeInfo copy = bed.cluster.node(node);
          for (const auto& entry : slow.At(ExtensionPoint::kFilter)) {
            ok = ok && entry.plugin->Filter(attempt, copy, nullptr) == Code::kSuccess;
          }
          if (ok) feasible.push_back(node);
        }
        ASSERT_EQ(result.feasible, static_cast<std::int32_t>(feasible.size()));
        ASSERT_EQ(result.evaluated, 20);
        if (feasible.empty()) {
          ASSERT_EQ(result.outcome, Outcome::kUnschedulable);
          ASSERT_NE(fast.FailureMessage().find("0/20 nodes are available: "), std::string::npos);
          bed.cluster.DeletePod(pod);
          continue;
        }
        std::set<NodeId> best = {feasible.begin(), feasible.end()};
        if (feasible.size() > 1) {
          std::vector<std::int64_t> totals;
          ASSERT_TRUE(slow.Score(attempt, feasible, totals, nullptr, nullptr));
          const std::int64_t top = *std::max_element(totals.begin(), totals.end());
          for (std::size_t n = 0; n < feasible.size(); ++n) {
            if (totals[n] != top) best.erase(feasible[n]);
          }
        }
        ASSERT_EQ(result.tied, static_cast<std::int32_t>(best.size()));
        ASSERT_TRUE(best.count(result.node) > 0);
        bed.cluster.BindPod(pod, result.node);
      }
      for (const NodeId node : bed.cluster.order()) {
        const NodeInfo& info = bed.cluster.node(node);
        EXPECT_LE(info.requested.milli_cpu, info.node.allocatable.milli_cpu);
        EXPECT_LE(info.requested.memory, info.node.allocatable.memory);
        EXPECT_LE(static_cast<std::int64_t>(info.pods.size()), info.node.allocatable.pods);
      }
    }
  }
}

TEST(Algorithm, StopsAtEnoughNodesAndGoesOnWhereItStopped) {
  Bed bed;
  for (int i = 0; i < 300; ++i) bed.Node(fmt::format("n{}", i));
  Algorithm algorithm(bed.cluster, DefaultConfiguration(Release{26}), 0);
  Random random(1);
  ScheduleResult result;
  const SpecId spec = bed.Spec("{}", "{" + Containers(100, 64) + "}");
  std::set<NodeId> chosen;
  for (int i = 0; i < 40; ++i) {
    algorithm.Schedule(bed.Pod(spec), random, nullptr, result);
    EXPECT_EQ(result.feasible, NumFeasibleNodesToFind(0, 300));
    EXPECT_EQ(result.evaluated, result.feasible);
    EXPECT_EQ(result.tied, result.feasible) << "equal nodes";
    chosen.insert(result.node);
  }
  EXPECT_GT(*chosen.rbegin(), 200);
  EXPECT_LT(*chosen.begin(), 100);
}

TEST(Algorithm, NoNodesAndPodsLargerThanAnyNodeAreResults) {
  Bed bed;
  Algorithm algorithm(bed.cluster, DefaultConfiguration(Release{26}), 0);
  Random random(1);
  ScheduleResult result;
  const PodId pod = bed.Pod(bed.Spec("{}", "{" + Containers(64000, 64) + "}"));
  algorithm.Schedule(pod, random, nullptr, result);
  EXPECT_EQ(result.outcome, Outcome::kNoNodes);
  bed.Node("a");
  bed.Node("b", "{}", 4, 8, 0);
  algorithm.Schedule(pod, random, nullptr, result);
  EXPECT_EQ(result.outcome, Outcome::kUnschedulable);
  EXPECT_EQ(algorithm.FailureMessage(),
            "0/2 nodes are available: 1 Too many pods, 2 Insufficient cpu.");
}

TEST(Algorithm, AllocatesNothingOnceWarm) {
  Random random(5);
  Bed bed(20);
  RandomNodes(bed, random, 150);
  Algorithm algorithm(bed.cluster, DefaultConfiguration(Release{20}), 0);
  ScheduleResult result;
  std::vector<PodId> pods;
  for (int i = 0; i < 30; ++i) {
    pods.push_back(bed.Pod(bed.Spec(RandomLabels(random), RandomSpec(random))));
  }
  for (int round = 0; round < 3; ++round) {
    for (const PodId pod : pods) algorithm.Schedule(pod, random, nullptr, result);
  }
  const std::int64_t before = allocations;
  for (const PodId pod : pods) algorithm.Schedule(pod, random, nullptr, result);
  EXPECT_EQ(allocations - before, 0);
}

TEST(Algorithm, TheSameSeedChoosesTheSameNodes) {
  const auto run = [] {
    Random random(11);
    Bed bed;
    RandomNodes(bed, random, 30);
    Algorithm algorithm(bed.cluster, DefaultConfiguration(Release{26}), 0);
    ScheduleResult result;
    std::vector<NodeId> out;
    for (int i = 0; i < 40; ++i) {
      const PodId pod = bed.Pod(bed.Spec(RandomLabels(random), RandomSpec(random)));
      algorithm.Schedule(pod, random, nullptr, result);
      out.push_back(result.node);
      if (result.node != kNone) bed.cluster.BindPod(pod, result.node);
    }
    return out;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace schedlens::sim::core
