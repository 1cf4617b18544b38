#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "diagnose/control_plane/changes.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

ClusterChange Changed(const char* what, const char* object, double earliest, double latest) {
  ClusterChange change;
  change.what = Message(what);
  change.object = object;
  change.earliest = static_cast<TimeMs>(1000 * earliest);
  change.latest = static_cast<TimeMs>(1000 * latest);
  change.at = (change.earliest + change.latest) / 2;
  change.distance_seconds = (earliest + latest) / 2;
  return change;
}

/// What the evidence of one cause says of the changes.
std::vector<std::string> Said(const char* id, const char* object,
                              const std::vector<ClusterChange>& changes,
                              const ControlPlaneFacts& facts = {}) {
  std::vector<Finding> findings(1);
  CauseBehind cause;
  cause.id = id;
  cause.object = object;
  findings[0].behind = {cause};
  SayWhatChanged(changes, facts, &findings);
  std::vector<std::string> said;
  for (const Evidence& evidence : findings[0].behind[0].evidence) {
    said.push_back(InEnglish(evidence.text));
  }
  return said;
}

using Lines = std::vector<std::string>;

TEST(SayWhatChangedTest, SaysBothOfOneObject) {
  EXPECT_EQ(Said("load.workload", "shop/cart",
                 {Changed("change.spec", "Deployment shop/cart", -13, -11),
                  Changed("change.replicaset.created", "ReplicaSet shop/cart-2", -11, -11)}),
            Lines{"Spec changed (roll-out or scaling): 12 s before the window began; that is close "
                  "in time, and no more than that."});
  EXPECT_EQ(Said("apiserver.webhook", "audit", {Changed("change.webhook.called", "audit", -4, 6)}),
            Lines{"Webhook called for the first time: within 6 s of the window's beginning; that "
                  "is close in time, and no more than that."});
  EXPECT_EQ(
      Said("load.workload", "shop/cart", {Changed("change.spec", "Deployment shop/car", 0, 0)}),
      Lines());
}

TEST(SayWhatChangedTest, KnowsAWebhooksConfiguration) {
  Series configured;
  configured.labels =
      Labels{{"__name__", "kube_validatingwebhookconfiguration_webhook_clientconfig_service"},
             {"validatingwebhookconfiguration", "vendor"},
             {"webhook_name", "audit"}};
  ControlPlaneFacts facts;
  facts.answers["objects"].push_back(configured);
  const auto created =
      Changed("change.webhook.created", "ValidatingWebhookConfiguration vendor", -12, -12);
  EXPECT_EQ(Said("apiserver.webhook", "audit", {created}, facts).size(), 1U);
  EXPECT_EQ(Said("apiserver.webhook", "other", {created}, facts).size(), 0U);
  EXPECT_EQ(Said("apiserver.webhook", "audit", {created}).size(), 0U) << "nobody says whose it is";
}

TEST(SayWhatChangedTest, WhatCameAfterItIsNobodysCause) {
  ClusterChange late = Changed("change.spec", "Deployment shop/cart", 30, 31);
  late.after_onset = true;
  EXPECT_EQ(Said("load.workload", "shop/cart", {late}), Lines());
  EXPECT_EQ(Said("load.workload", "shop/cart", {Changed("change.load", "shop/cart", -60, 60)}),
            Lines());
}

TEST(SayWhatChangedTest, AnElectionIsEtcdsLeader) {
  const auto change = Changed("change.etcd.leader", "etcd", -10, 0);
  EXPECT_EQ(Said("etcd.leader", "", {change}).size(), 1U);
  EXPECT_EQ(Said("etcd.disk", "", {change}).size(), 0U);
}

}  // namespace
}  // namespace schedlens
