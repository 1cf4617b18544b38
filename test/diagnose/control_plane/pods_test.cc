#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "diagnose/control_plane/control_plane_facts.h"
#include "diagnose/control_plane/state_metrics.h"

namespace schedlens {
namespace {

using testing_support::kStart;
using testing_support::StateMetrics;

std::string NameOfOwner(const SeenPod& pod) {
  return pod.workload.name_space + "/" + pod.workload.kind + "/" + pod.workload.name;
}

TEST(PodsOfTest, FollowsOwnersAsFarAsTheyAreKnown) {
  for (const bool exported : {false, true}) {
    StateMetrics ksm(exported);
    ksm.Pod("shop", "a", "cart-7f9c", 100, 2);
    ksm.Pod("shop", "b", "search-11aa", 100, 2);
    ksm.Pod("shop", "c", "", 100, 2);
    ksm.Pod("shop", "d", "", 100, 2);
    ksm.Pod("shop", "e", "", 100, 2);
    ksm.OwnReplicaSet("shop", "cart-7f9c", "cart");
    ksm.OwnReplicaSet("batch", "search-11aa", "of another namespace");
    const auto owned = [&](const char* pod, const char* kind, const char* name) {
      ksm.Show("pods", "kube_pod_owner",
               {{"namespace", "shop"}, {"pod", pod}, {"owner_kind", kind}, {"owner_name", name}},
               1);
    };
    owned("c", "Job", "nightly-1");
    owned("d", "<none>", "<none>");
    ksm.Show("pods", "kube_job_owner",
             {{"namespace", "shop"},
              {"job_name", "nightly-1"},
              {"owner_kind", "CronJob"},
              {"owner_name", "nightly"}},
             1);
    const ControlPlaneFacts facts = ksm.Facts();
    const std::vector<SeenPod>& pods = PodsOf(facts);
    ASSERT_EQ(pods.size(), 5U);
    const char* owners[] = {"shop/Deployment/cart", "shop/ReplicaSet/search-11aa",
                            "shop/CronJob/nightly", "shop/Pod/", "shop//"};
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(NameOfOwner(pods[i]), owners[i]) << exported;
  }
}

TEST(PodsOfTest, TellsPodsOfOneNameApart) {
  StateMetrics ksm;
  ksm.Pod("shop", "db-0", "", 100, 3, 200);
  ksm.Pod("shop", "db-0", "", 300, -1);
  const ControlPlaneFacts facts = ksm.Facts();
  const std::vector<SeenPod>& pods = PodsOf(facts);
  ASSERT_EQ(pods.size(), 2U);
  EXPECT_EQ(pods[0].scheduled, kStart + 103);
  EXPECT_EQ(pods[1].created, kStart + 300);
  EXPECT_FALSE(pods[1].scheduled);
}

TEST(PodsOfTest, CountsAPodOnceThatTwoProcessesShow) {
  StateMetrics one, two(false, "ksm-2:8080");
  one.Pod("shop", "a", "cart-1", 100, 2);
  two.Pod("shop", "a", "cart-1", 100, 2);
  ControlPlaneFacts facts = one.Facts();
  const ControlPlaneFacts other = two.Facts();
  for (const Series& series : other.Of("pods")) facts.answers["pods"].push_back(series);
  EXPECT_EQ(PodsOf(facts).size(), 1U);
}

TEST(PodsOfTest, ReadsTheAnswersOnceHoweverOftenItIsAsked) {
  StateMetrics ksm;
  ksm.Pod("shop", "a", "cart-1", 100, 2);
  const ControlPlaneFacts facts = ksm.Facts();
  EXPECT_EQ(&PodsOf(facts), &PodsOf(facts));
  EXPECT_EQ(PodsOf(facts).size(), 1U);
  const ControlPlaneFacts none;
  EXPECT_TRUE(PodsOf(none).empty());
}

TEST(PodScrapesTest, EndsBeforeItStartsWithoutPods) {
  StateMetrics ksm;
  ksm.Show("objects", "kube_node_created", {{"node", "n"}}, kStart);
  EXPECT_LT(PodScrapes(ksm.Facts()).end, PodScrapes(ksm.Facts()).start);
  ksm.Pod("shop", "a", "", 100, 2);
  EXPECT_EQ(PodScrapes(ksm.Facts()), testing_support::Range(0, 600));
}

}  // namespace
}  // namespace schedlens
