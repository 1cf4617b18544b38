#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/work_budget.h"
#include "cli/commands/serve.h"
#include "cli/process.h"
#include "schedlens/error.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

using test::FakeRequest;
using test::FakeServer;
using test::Http;

Diagnosis Incident() {
  Diagnosis d;
  d.verdict = Verdict::kIncident;
  d.window = {1'795'255'200'000, 1'795'255'500'000};
  return d;
}

TEST(ServePosts, AnAnnotationGoesToGrafanaAndAMessageToTheChat) {
  std::vector<FakeRequest> asked;
  FakeServer server([&](const FakeRequest& request) {
    asked.push_back(request);
    return Http(200, "{}");
  });
  const TempDir dir;
  PostOptions options;
  options.grafana = server.url() + "/grafana/";
  options.grafana_config = dir.Write("http.yml", "authorization: {credentials: t0ken}\n");
  options.notify = server.url() + "/services/T0/B0";
  CheckPosts(options);
  EXPECT_TRUE(PostDiagnosis(Incident(), options).empty());
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].target, "/grafana/api/annotations");
  EXPECT_EQ(asked[0].headers["authorization"], "Bearer t0ken");
  EXPECT_EQ(asked[0].headers["content-type"], "application/json");
  EXPECT_EQ(nlohmann::json::parse(asked[0].body)["time"], 1'795'255'200'000);
  EXPECT_EQ(asked[1].target, "/services/T0/B0");
  EXPECT_FALSE(asked[1].headers.contains("authorization")) << "Grafana's token is not the chat's";
  EXPECT_TRUE(nlohmann::json::parse(asked[1].body)["text"].is_string());
}

TEST(ServePosts, WhatWasToldIsNotToldAgain) {
  std::vector<std::string> asked;
  bool down = true;
  FakeServer server([&](const FakeRequest& request) {
    asked.push_back(request.target);
    return Http(down && request.target == "/chat" ? 404 : 200, "{}");
  });
  const TempDir dir;
  PostOptions options;
  options.grafana = server.url();
  options.notify = server.url() + "/chat";
  options.told = dir / "a.told";
  EXPECT_EQ(PostDiagnosis(Incident(), options).size(), 1u);
  EXPECT_EQ(ReadAll(dir / "a.told"), "annotation\n");
  down = false;
  EXPECT_TRUE(PostDiagnosis(Incident(), options).empty());
  EXPECT_TRUE(PostDiagnosis(Incident(), options).empty());
  EXPECT_THAT(asked, testing::ElementsAre("/api/annotations", "/chat", "/chat"));
}

TEST(ServePosts, AFailureIsToldWithoutSecrets) {
  FakeServer server([&](const FakeRequest& request) {
    return Http(request.target.ends_with("annotations") ? 404 : 403, "no");
  });
  PostOptions options;
  options.grafana = server.url();
  options.notify = server.url() + "/services/s3cret";
  EXPECT_THAT(PostDiagnosis(Incident(), options),
              testing::ElementsAre("annotation: the server answers 404",
                                   "notification: 127.0.0.1 cannot be reached or refuses access"));
}

TEST(ServePosts, AConfigurationThatCannotBeReadIsAFailureLikeOthers) {
  int said = 0;
  FakeServer server([&](const FakeRequest&) {
    ++said;
    return Http(200, "ok");
  });
  PostOptions options;
  options.grafana = server.url();
  options.grafana_config = "/no/such/file";
  options.notify = server.url();
  EXPECT_THAT(PostDiagnosis(Incident(), options),
              testing::ElementsAre(testing::AllOf(testing::StartsWith("annotation: "),
                                                  testing::HasSubstr("/no/such/file"))));
  EXPECT_EQ(said, 1) << "the chat is told all the same";
}

TEST(ServePosts, CredentialsThatHideTheHostAreRefusedAtOnce) {
  PostOptions options;
  options.grafana = "http://admin:12/word@h";  // its host would be taken for `admin`
  EXPECT_THROW(CheckPosts(options), Error);
}

TEST(ServePosts, AnInterruptIsNoFailure) {
  FakeServer server([&](const FakeRequest&) {
    Interrupt(true);
    test::FakeReply reply;
    reply.hang = true;
    return reply;
  });
  PostOptions options;
  options.notify = server.url();
  try {
    PostDiagnosis(Incident(), options);
    ADD_FAILURE() << "posted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInterrupted);
  }
  Interrupt(false);
}

TEST(ServePosts, MistakesAreToldBeforeAnythingIsTaken) {
  PostOptions options;
  options.notify = "ftp://h";
  EXPECT_THROW(CheckPosts(options), Error);
  options = {};
  options.grafana_config = "/no/such/file";
  EXPECT_THROW(CheckPosts(options), Error);
}

}  // namespace
}  // namespace schedlens
