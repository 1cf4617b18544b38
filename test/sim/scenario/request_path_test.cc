// `apiserver` and `network` of a scenario.

#include "sim/scenario/request_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "sim/scenario/scenario.h"

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

TEST(RequestPath, EveryDelayIsADistributionInAnySpelling) {
  for (const char* delay : {"0.25", "\"0.25\"", "250ms", "\"u(0.2,0.3)\"", "\"ln(0.25,0)\"",
                            "\"0.5*u(0.1,0.2)+0.5*ln(0.35,0)\""}) {
    const std::string d(delay);
    const RequestPath path =
        Read("apiserver:\n  webhooks: [{name: a, cost: " + d + "}]\n  admission: " + d +
             "\n  flowcontrol: {neighbours_cost: " + d + "}\n  etcd: {fsync: " + d +
             "}\n  audit: {cost: " + d + "}\n  cpu: {neighbours_cost: " + d +
             "}\nnetwork: {delay: " + d + "}\n")
            .At(0)
            .path;
    for (const Distribution* one :
         {&path.webhooks.at(0).cost, &path.admission, &path.neighbours_cost, &path.fsync,
          &path.audit, &path.readers_cost, &path.network}) {
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
