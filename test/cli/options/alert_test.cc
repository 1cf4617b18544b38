#include <gtest/gtest.h>

#include "cli/options/source.h"
#include "cli/process.h"
#include "schedlens/error.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

TEST(AlertOptions, NoneAreNoAlert) {
  EXPECT_FALSE(AlertOf(AlertRequest{}, {}));
  EXPECT_EQ(TimeToLook(std::nullopt, 5000), 5000);
}

TEST(AlertOptions, ANameIsLookedUpOnTheServer) {
  test::FakeServer server([](const test::FakeRequest& request) {
    EXPECT_EQ(request.target, "/api/v1/rules");
    return test::Http(200, R"json({"status":"success","data":{"groups":[{"name":"g","rules":[
        {"type":"alerting","name":"Slow","query":"histogram_quantile(0.9, rate(x_bucket[1m])) > 2"}]}]}})json");
  });
  SourceOptions source;
  source.prometheus = server.url();
  const auto alert = AlertOf({.alert = "Slow", .webhook = {}, .webhook_name = {}}, source);
  ASSERT_TRUE(alert);
  EXPECT_EQ(alert->expression.expr, "histogram_quantile(0.9, rate(x_bucket[1m])) > 2");
  EXPECT_THROW(AlertOf({.alert = "Slow", .webhook = {}, .webhook_name = {}}, {}), Error);
}

TEST(AlertOptions, AnExpressionWithoutQuantileKeepsItsWords) {
  const auto alert = AlertOf({.alert = "up == 0", .webhook = {}, .webhook_name = {}}, {});
  ASSERT_TRUE(alert);
  EXPECT_EQ(alert->expression.expr, "up == 0");
}

TEST(AlertOptions, AWebhookSaysWhenToLook) {
  const TempDir dir;
  const std::string file = dir.Write("hook.json", R"({"alerts":[{"status":"resolved",
      "labels":{"alertname":"A"},"startsAt":"2026-11-21T10:00:00Z",
      "endsAt":"2026-11-21T10:10:00Z"}]})");
  const auto alert = AlertOf(AlertRequestOf({.alert = {}, .webhook = file}), {});
  constexpr TimeMs kStart = 1795255200000;
  EXPECT_EQ(TimeToLook(alert, kStart * 2), kStart + 40 * 60'000);
  EXPECT_EQ(TimeToLook(alert, kStart), kStart);
}

TEST(AlertOptions, AWebhookOfGrafanaSaysWhatToGive) {
  const AlertRequest posted{.alert = {},
                            .webhook = R"({"alerts":[{"labels":{"alertname":"A"},
                                "generatorURL":"http://g:3000/alerting/grafana/r1/view"}]})",
                            .webhook_name = "hook.json"};
  try {
    WithLinkedServer({}, posted);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("give that link as --alert"), std::string::npos);
  }
  SourceOptions own;
  own.prometheus = "http://mine";
  EXPECT_EQ(WithLinkedServer(own, posted).prometheus, "http://mine");
}

TEST(AlertOptions, ALinkIsTheSourceWhereNoneIsGiven) {
  const std::string link = "http://prom:9090/graph?g0.expr=up";
  const AlertRequest linked{.alert = link, .webhook = {}, .webhook_name = {}};
  EXPECT_EQ(WithLinkedServer({}, linked).prometheus, "http://prom:9090");
  SourceOptions own;
  own.prometheus = "http://mine";
  EXPECT_EQ(WithLinkedServer(own, linked).prometheus, "http://mine");
  SourceOptions capture;
  capture.capture = "file";
  EXPECT_EQ(WithLinkedServer(capture, linked).prometheus, "");
  EXPECT_EQ(WithLinkedServer({}, {.alert = "Slow", .webhook = {}, .webhook_name = {}}).prometheus,
            "");
}

TEST(AlertOptions, CredentialsOfSettingsDoNotGoWhereOnlyALinkLeads) {
  const AlertRequest linked{
      .alert = "http://prom:9090/graph?g0.expr=up", .webhook = {}, .webhook_name = {}};
  SourceOptions source;
  source.headers = {"Authorization: Bearer x"};
  EXPECT_EQ(WithLinkedServer(source, linked).prometheus, "http://prom:9090") << "typed next to it";
  source.credentials_from = "environment SCHEDLENS_HTTP_CONFIG";
  EXPECT_THROW(WithLinkedServer(source, linked), Error);
  source.prometheus = "http://mine";
  EXPECT_EQ(WithLinkedServer(source, linked).prometheus, "http://mine");
}

TEST(AlertOptions, NoCredentialsGoWhereOnlyAWebhookLeads) {
  const AlertRequest posted{.alert = {},
                            .webhook = R"({"alerts": [{"labels": {"alertname": "A"},
                                 "generatorURL": "http://u:secret@evil/graph?g0.expr=up"}]})",
                            .webhook_name = "page.json"};
  EXPECT_EQ(WithLinkedServer({}, posted).prometheus, "http://u:secret@evil");
  SourceOptions with_token;
  with_token.headers = {"Authorization: Bearer x"};
  try {
    WithLinkedServer(with_token, posted);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace schedlens
