#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/found_changes.h"

namespace schedlens {
namespace {

using testing_support::Found;
using testing_support::kStart;
using testing_support::Lines;
using testing_support::StateMetrics;

TEST(ObjectChangesTest, TellsWhatIsNearTheOnset) {
  const std::vector<Labels::Pair> cart = {{"namespace", "shop"}, {"deployment", "cart"}};
  const std::vector<Labels::Pair> hook = {{"validatingwebhookconfiguration", "vendor"}};
  const std::vector<Labels::Pair> node = {{"node", "n-1"}};
  const std::vector<Labels::Pair> ready = {
      {"node", "n-1"}, {"condition", "Ready"}, {"status", "true"}};
  const std::vector<Labels::Pair> replicas = {{"namespace", "shop"}, {"replicaset", "cart-2"}};
  struct Row {
    std::function<void(StateMetrics&)> make;
    Lines want;
  };
  const std::string generation = "kube_deployment_metadata_generation";
  const std::string created = "kube_validatingwebhookconfiguration_created";
  const Row rows[] = {
      {[&](auto& k) { k.Step(generation, cart, 1, 2, 290); },
       {"change.spec Deployment shop/cart -15 1 -> 2"}},
      {[&](auto& k) { k.Step(generation, cart, 1, 2, 120); }, {}},  // long before
      {[&](auto& k) { k.Step(generation, cart, 1, 2, 400); },
       {"change.spec Deployment shop/cart 105 1 -> 2 after"}},
      {[&](auto& k) { k.Step(generation, cart, 1, 2, 460); }, {}},  // long after
      {[&](auto& k) { k.Show("objects", generation, cart, 1); }, {}},
      {[&](auto& k) { k.Step(generation, cart, 1, NAN, 290); }, {}},
      {[&](auto& k) { k.Show("objects", created, hook, kStart + 292, 292); },
       {"change.webhook.created ValidatingWebhookConfiguration vendor -8"}},
      {[&](auto& k) { k.Show("objects", created, hook, kStart - 900, 292); }, {}},  // shown late
      {[&](auto& k) { k.Show("objects", created, hook, kStart + 292); }, {}},  // clocks disagree
      {[&](auto& k) { k.Show("objects", created, hook, kStart - 900, 0, 280); },
       {"change.webhook.removed ValidatingWebhookConfiguration vendor -15"}},
      {[&](auto& k) {
         k.Step("kube_mutatingwebhookconfiguration_metadata_resource_version",
                {{"mutatingwebhookconfiguration", "inject"}}, 10212, 10977, 290);
       },
       {"change.webhook.changed MutatingWebhookConfiguration inject -15 10212 -> 10977"}},
      {[&](auto& k) {
         k.Show("objects", "kube_validatingadmissionpolicy_created",
                {{"validatingadmissionpolicy", "quota"}}, kStart + 250, 250);
       },
       {"change.policy.created ValidatingAdmissionPolicy quota -50"}},
      {[&](auto& k) { k.Show("objects", "kube_replicaset_created", replicas, kStart + 295, 295); },
       {"change.replicaset.created ReplicaSet shop/cart-2 -5"}},
      {[&](auto& k) { k.Show("objects", "kube_node_created", node, kStart + 200, 200); },
       {"change.node.added n-1 -100"}},
      {[&](auto& k) { k.Show("objects", "kube_node_created", node, kStart - 900, 0, 280); },
       {"change.node.removed n-1 -15"}},
      {[&](auto& k) { k.Step("kube_node_spec_unschedulable", node, 0, 1, 290); },
       {"change.node.cordoned n-1 -15"}},
      {[&](auto& k) { k.Step("kube_node_spec_unschedulable", node, 1, 0, 290); },
       {"change.node.uncordoned n-1 -15"}},
      {[&](auto& k) { k.Step("kube_node_status_condition", ready, 1, 0, 290); },
       {"change.node.not_ready n-1 -15"}},
  };
  for (const Row& row : rows) {
    for (const bool exported : {false, true}) {
      StateMetrics ksm(exported);
      row.make(ksm);
      EXPECT_EQ(Found(ksm.Facts()), row.want) << &row - rows << (exported ? " exported" : "");
    }
  }
}

TEST(ObjectChangesTest, TellsAChangeOnceThatTwoProcessesShow) {
  StateMetrics one, two(false, "ksm-2:8080");
  ControlPlaneFacts facts;
  for (StateMetrics* ksm : {&one, &two}) {
    ksm->Step("kube_node_spec_unschedulable", {{"node", "n"}}, 0, 1, 290);
    const ControlPlaneFacts seen = ksm->Facts();
    facts.scrapes.insert(seen.scrapes.begin(), seen.scrapes.end());
    for (const Series& series : seen.Of("objects")) facts.answers["objects"].push_back(series);
  }
  EXPECT_EQ(Found(facts).size(), 1U);
}

}  // namespace
}  // namespace schedlens
