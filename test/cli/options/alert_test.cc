#include "cli/options/alert.h"

#include <gtest/gtest.h>

#include "cli/process.h"
#include "schedlens/error.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

TEST(AlertOptions, NoneAreNoAlert) {
  EXPECT_FALSE(AlertOf({}, {}));
  EXPECT_EQ(ExpressionOf(std::nullopt), "");
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
  const auto alert = AlertOf({.alert = "Slow", .webhook = {}}, source);
  EXPECT_EQ(ExpressionOf(alert), "histogram_quantile(0.9, rate(x_bucket[1m])) > 2");
  EXPECT_THROW(AlertOf({.alert = "Slow", .webhook = {}}, {}), Error);
}

TEST(AlertOptions, AnExpressionWithoutQuantileKeepsItsWords) {
  EXPECT_EQ(ExpressionOf(AlertOf({.alert = "up == 0", .webhook = {}}, {})), "up == 0");
  EXPECT_EQ(ExpressionOf({}), "");
}

TEST(AlertOptions, AWebhookSaysWhenToLook) {
  const TempDir dir;
  const std::string file = dir.Write("hook.json", R"({"alerts":[{"status":"resolved",
      "labels":{"alertname":"A"},"startsAt":"2026-11-21T10:00:00Z",
      "endsAt":"2026-11-21T10:10:00Z"}]})");
  const auto alert = AlertOf({.alert = {}, .webhook = file}, {});
  constexpr TimeMs kStart = 1795255200000;
  EXPECT_EQ(TimeToLook(alert, kStart * 2), kStart + 40 * 60'000);
  EXPECT_EQ(TimeToLook(alert, kStart), kStart);
}

}  // namespace
}  // namespace schedlens
