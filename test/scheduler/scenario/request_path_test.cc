// `apiserver` and `network` of a scenario.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "schedlens/error.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {
namespace {

Scenario Read(const std::string& more) {
  return ParseScenario("cluster: {nodes: [{count: 3}]}\n" + more, "s.yaml");
}

TEST(RequestPath, IsOffWithoutAnApiServer) {
  EXPECT_FALSE(Read("").At(0).path.on);
  EXPECT_TRUE(Read("apiserver: {}").At(0).path.on);
}

TEST(RequestPath, FaultsOverrideKeysAndWebhooksMergeByName) {
  const Scenario s = Read(
      "apiserver:\n"
      "  webhooks:\n"
      "    - {name: a, cost: \"0.01\", fail: 0.5, policy: Ignore}\n"
      "    - {name: b, resource: pods}\n"
      "  flowcontrol: {seats: 4}\n"
      "network: {delay: \"0.002\"}\n"
      "faults:\n"
      "  - apiserver:\n"
      "      webhooks: [{name: a, cost: \"2\"}, {name: c, mutating: true}]\n"
      "      etcd: {fsync: \"0.5\"}\n");
  const RequestPath& before = s.At(0).path;
  const RequestPath& during = s.At(200 * kSecond).path;
  ASSERT_EQ(before.webhooks.size(), 2u);
  ASSERT_EQ(during.webhooks.size(), 3u);
  EXPECT_EQ(before.webhooks[0].cost.Mean(), 0.01);
  EXPECT_EQ(during.webhooks[0].cost.Mean(), 2);
  EXPECT_EQ(during.webhooks[0].fail, 0.5);
  EXPECT_TRUE(during.webhooks[0].ignore);
  EXPECT_EQ(during.webhooks[1].resource, "pods");
  EXPECT_TRUE(during.webhooks[2].mutating);
  EXPECT_EQ(during.seats, 4);
  EXPECT_EQ(during.fsync.Mean(), 0.5);
  EXPECT_NE(before.fsync.Mean(), 0.5);
  EXPECT_EQ(during.network.Mean(), 0.002);
}

TEST(RequestPath, EveryKeyIsReadTogether) {
  const Scenario s = Read(
      "apiserver:\n"
      "  instances: 1\n"
      "  webhooks: [{name: quota.policy.example, resource: pods/binding, cost: \"ln(0.004,0.4)\", "
      "fail: 0, policy: Ignore}]\n"
      "  flowcontrol: {seats: 4, neighbours_rate: 20, neighbours_cost: \"ln(0.02,0.5)\"}\n"
      "  etcd: {fsync: \"ln(0.003,0.4)\", network: 0.0005}\n"
      "  audit: {cost: \"0.001\", blocking: false}\n"
      "  cpu: {cores: 2, request_cost: 0.001, neighbours_rate: 0, neighbours_cost: 0.05}\n"
      "network: {delay: \"0\"}\n"
      "workload:\n"
      "  templates: [{name: web, namespace: shop, owner: cart}]\n");
  const RequestPath& path = s.At(0).path;
  EXPECT_EQ(path.instances, 1);
  ASSERT_EQ(path.webhooks.size(), 1u);
  EXPECT_TRUE(path.webhooks[0].Matches(true));
  EXPECT_FALSE(path.webhooks[0].Matches(false));
  EXPECT_TRUE(path.webhooks[0].ignore);
  EXPECT_EQ(path.seats, 4);
  EXPECT_EQ(path.neighbours_rate, 20);
  EXPECT_NEAR(path.neighbours_cost.Mean(), 0.02 * std::exp(0.5 * 0.5 / 2), 1e-12);
  EXPECT_NEAR(path.fsync.Mean(), 0.003 * std::exp(0.4 * 0.4 / 2), 1e-12);
  EXPECT_EQ(path.etcd_network.Mean(), 0.0005);
  EXPECT_EQ(path.audit.Mean(), 0.001);
  EXPECT_FALSE(path.audit_blocking);
  EXPECT_EQ(path.cores, 2);
  EXPECT_EQ(path.request_cost.Mean(), 0.001);
  EXPECT_EQ(path.readers_rate, 0);
  EXPECT_EQ(path.readers_cost.Mean(), 0.05);
  EXPECT_TRUE(path.network.IsZero());
  EXPECT_EQ(s.templates.at(0).namespace_name, "shop");
  EXPECT_EQ(s.templates.at(0).owner, "cart");
}

TEST(RequestPath, EveryDelayIsADistributionInAnySpelling) {
  for (const char* delay : {"0.25", "\"0.25\"", "250ms", "\"u(0.2,0.3)\"", "\"ln(0.25,0)\"",
                            "\"0.5*u(0.1,0.2)+0.5*ln(0.35,0)\""}) {
    const std::string d(delay);
    const RequestPath path =
        Read("apiserver:\n  webhooks: [{name: a, cost: " + d + "}]\n  admission: " + d +
             "\n  flowcontrol: {neighbours_cost: " + d + "}\n  etcd: {fsync: " + d +
             ", network: " + d + "}\n  audit: {cost: " + d + "}\n  cpu: {request_cost: " + d +
             ", neighbours_cost: " + d + "}\nnetwork: {delay: " + d + "}\n")
            .At(0)
            .path;
    for (const Distribution* one :
         {&path.webhooks.at(0).cost, &path.admission, &path.neighbours_cost, &path.fsync,
          &path.etcd_network, &path.audit, &path.request_cost, &path.readers_cost, &path.network}) {
      EXPECT_NEAR(one->Mean(), 0.25, 1e-9) << delay;
    }
  }
}

TEST(RequestPath, OneOfSeveralServersMayTakeLonger) {
  const Scenario s = Read(
      "apiserver: {instances: 3, spread: true}\n"
      "faults: [{apiserver: {slow_instance: {number: 2, cost: \"0.5\"}}}]\n");
  EXPECT_EQ(s.At(0).path.slow_instance, 0);
  EXPECT_EQ(s.At(200 * kSecond).path.slow_instance, 2);
  EXPECT_EQ(s.At(200 * kSecond).path.slow_cost.Mean(), 0.5);
  EXPECT_TRUE(s.At(200 * kSecond).path.spread);
}

TEST(RequestPath, ARuleNamesWhatItMatches) {
  const struct {
    const char* resource;
    bool pods, binding;
  } cases[] = {{"pods", true, false},  {"pods/binding", false, true},
               {"pods/*", true, true}, {"*/*", true, true},
               {"*", true, false},     {"nodes", false, false}};
  for (const auto& c : cases) {
    Webhook webhook;
    webhook.resource = c.resource;
    EXPECT_EQ(webhook.Matches(false), c.pods) << c.resource;
    EXPECT_EQ(webhook.Matches(true), c.binding) << c.resource;
  }
}

TEST(RequestPath, ComplaintsNameTheKey) {
  const struct {
    const char* text;
    const char* says;
  } cases[] = {{"apiserver: {webhook: []}", "webhooks"},
               {"apiserver: {webhooks: [{cost: \"1\"}]}", "`name`"},
               {"apiserver: {webhooks: [{name: a, policy: Maybe}]}", "Ignore or Fail"},
               {"apiserver: {flowcontrol: {seat: 3}}", "seats"},
               {"network: {delay: \"1\"}", "`apiserver`"}};
  for (const auto& c : cases) {
    try {
      Read(c.text);
      ADD_FAILURE() << c.text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(c.says));
    }
  }
}

}  // namespace
}  // namespace schedlens::sim
