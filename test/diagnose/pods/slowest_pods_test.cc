#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/control_plane/state_metrics.h"
#include "diagnose/pods/ledger.h"

namespace schedlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::At;
using testing_support::Range;
using testing_support::StateMetrics;

Absence Down(double start, double end, bool keeps_queues = false) {
  Absence one;
  one.id = "scheduler.down";
  one.start = {At(start), At(start), At(start)};
  one.end = {At(end), At(end), At(end)};
  one.keeps_queues = keeps_queues;
  return one;
}

std::vector<std::string> NamesOf(const std::vector<SlowPod>& pods) {
  std::vector<std::string> names;
  for (const SlowPod& one : pods) names.push_back(one.name_space + "/" + one.name);
  return names;
}

TEST(SlowestPodsTest, LongestFirstAndOnlyThoseOfTheWindow) {
  StateMetrics ksm;
  ksm.Pod("shop", "short", "", 100, 1);
  ksm.Pod("shop", "long", "", 100, 90);
  ksm.Pod("shop", "longest-but-waits", "", 60, -1);
  ksm.Pod("shop", "bound-before", "", 10, 30);
  ksm.Pod("shop", "created-after", "", 400, 60);
  const auto pods = SlowestPods(ksm.Facts(), Range(60, 300), {});
  ASSERT_THAT(NamesOf(pods), ElementsAre("shop/longest-but-waits", "shop/long"));
  EXPECT_FALSE(pods[0].scheduled);
  EXPECT_EQ(pods[0].seconds.value, 240);
  EXPECT_EQ(pods[1].created, At(100));
  EXPECT_EQ(pods[1].scheduled, At(190));
  EXPECT_EQ(pods[1].seconds.low, 89) << "whole seconds";
  EXPECT_EQ(pods[1].seconds.high, 91);
  EXPECT_THAT(pods[1].held, IsEmpty()) << "nobody knows where it waited";
}

TEST(WorkloadThatWaitedTest, HasHalfOfWhatNothingRejected) {
  StateMetrics ksm;
  ksm.Pod("shop", "cart-1", "", 100, 60);
  ksm.Pod("shop", "cart-2", "", 100, 60);
  ksm.Pod("shop", "search-1", "", 100, 90);
  ksm.Pod("shop", "rejected-1", "", 100, 900);
  ksm.Show("pods", "kube_pod_status_unschedulable", {{"namespace", "shop"}, {"pod", "rejected-1"}},
           1, 120, 180);
  ksm.Pod("shop", "quick-1", "", 100, 5);
  const auto own = [&](const std::string& pod, const std::string& set) {
    ksm.Show("pods", "kube_pod_owner",
             {{"namespace", "shop"},
              {"pod", pod},
              {"owner_kind", "StatefulSet"},
              {"owner_name", set},
              {"owner_is_controller", "true"}},
             1, 100, 600);
  };
  for (const char* pod : {"cart-1", "cart-2"}) own(pod, "cart");
  own("search-1", "search");
  EXPECT_EQ(WorkloadThatWaited(ksm.Facts(), Range(60, 300)), "shop/cart") << "120 of 210 s";
  ksm.Pod("shop", "search-2", "", 100, 90);
  own("search-2", "search");
  ksm.Pod("shop", "other-1", "", 100, 70);
  own("other-1", "other");
  EXPECT_EQ(WorkloadThatWaited(ksm.Facts(), Range(60, 300)), "") << "180 of 370 s";
}

TEST(SlowestPodsTest, AtMostTen) {
  StateMetrics ksm;
  for (int i = 0; i < 30; ++i) ksm.Pod("shop", "pod-" + std::to_string(i), "", 100, 10 + i);
  const auto pods = SlowestPods(ksm.Facts(), Range(60, 300), {});
  ASSERT_EQ(pods.size(), 10U);
  EXPECT_EQ(pods.front().name, "pod-29");
  EXPECT_EQ(pods.back().name, "pod-20");
}

TEST(SlowestPodsTest, WhatItStoodUnschedulableIsHalfAScrapeAroundEachSight) {
  StateMetrics ksm;
  ksm.Pod("shop", "cart", "", 100, 200);
  ksm.Show("pods", "kube_pod_status_unschedulable", {{"namespace", "shop"}, {"pod", "cart"}}, 1,
           120, 180);  // seen at 120, 150 and 180
  const auto pods = SlowestPods(ksm.Facts(), Range(60, 330), {});
  ASSERT_EQ(pods.size(), 1U);
  ASSERT_EQ(pods[0].held.size(), 1U);
  EXPECT_EQ(pods[0].held[0].id, "unschedulable");
  EXPECT_EQ(pods[0].held[0].seconds.value, 90) << "105 to 195";
  EXPECT_DOUBLE_EQ(*pods[0].held[0].share.value, 0.45);
}

TEST(SlowestPodsTest, NobodysTimeIsTheOutageUnlessThePodStayedInAQueue) {
  StateMetrics ksm;
  ksm.Pod("shop", "before", "", 100, 100);
  ksm.Pod("shop", "within", "", 150, 48);
  const auto held = [&](bool keeps_queues) {
    std::vector<double> seconds;
    for (const SlowPod& pod :
         SlowestPods(ksm.Facts(), Range(60, 300), {Down(120, 180, keeps_queues)})) {
      seconds.push_back(pod.held.empty() ? 0 : *pod.held.front().seconds.value);
      for (const PodHolder& one : pod.held) EXPECT_EQ(one.id, "nobody");
    }
    return seconds;
  };
  EXPECT_THAT(held(false), ElementsAre(60, 30));
  EXPECT_THAT(held(true), ElementsAre(0, 30)) << "a halted process keeps what is in its queues";
}

TEST(SlowestPodsTest, WhatWaitsOnIsNotBoundWheneverTheWindowEnds) {
  StateMetrics ksm;
  ksm.Pod("shop", "cart", "", 100, -1);
  for (int ms = 0; ms < 1000; ++ms) {
    TimeRange window = Range(60, 300);
    window.end += ms;
    ASSERT_FALSE(SlowestPods(ksm.Facts(), window, {}).at(0).scheduled) << ms;
  }
}

TEST(SlowestPodsTest, SightsOfSeveralProcessesAreReadInOrder) {
  StateMetrics after(false, "a:8080");  // its series come first
  StateMetrics before(false, "b:8080");
  before.Pod("shop", "cart", "", 100, 200);
  const std::vector<Labels::Pair> pod = {{"namespace", "shop"}, {"pod", "cart"}};
  after.Show("pods", "kube_pod_status_unschedulable", pod, 1, 210, 240);
  before.Show("pods", "kube_pod_status_unschedulable", pod, 1, 120, 180);
  ControlPlaneFacts facts = before.Facts();
  const std::vector<Series> more = after.Facts().Of("pods");
  auto& pods = facts.answers["pods"];
  pods.insert(pods.begin() + 1, more.begin(), more.end());
  const auto slowest = SlowestPods(facts, Range(60, 330), {});
  ASSERT_EQ(slowest.size(), 1U);
  ASSERT_EQ(slowest[0].held.size(), 1U);
  EXPECT_EQ(slowest[0].held[0].seconds.value, 150) << "105 to 255";
}

TEST(SlowestPodsTest, ImpossibleTimesTakeNoPlace) {
  StateMetrics ksm;
  ksm.Pod("shop", "cart", "", 100, 60);
  for (const double created : {-1e300, -5.0, 0.0, 1e300, std::nan("")}) {
    const std::vector<Labels::Pair> pod = {{"namespace", "shop"}, {"pod", "odd"}};
    ksm.Show("pods", "kube_pod_created", pod, created);
  }
  EXPECT_THAT(NamesOf(SlowestPods(ksm.Facts(), Range(60, 300), {})), ElementsAre("shop/cart"));
}

TEST(SlowestPodsTest, NobodyHasNoMoreThanTheWait) {
  StateMetrics ksm;
  ksm.Pod("shop", "cart", "", 100, 60);
  const auto pods = SlowestPods(ksm.Facts(), Range(60, 300), {Down(110, 160), Down(110, 160)});
  EXPECT_EQ(pods.at(0).held.at(0).seconds.value, 60);
}

TEST(SlowestPodsTest, NoneWithoutKubeStateMetrics) {
  EXPECT_THAT(SlowestPods({}, Range(0, 60), {Down(10, 20)}), IsEmpty());
}

}  // namespace
}  // namespace schedlens
