#include <gtest/gtest.h>

#include "replay/fit.h"
#include "replay/played.h"

namespace schedlens {
namespace {

TEST(ServerBindsTest, AreTheBindingsOfTheWindow) {
  const test::Played played = test::Play("apiserver.webhook");
  const Measurement& now = played.investigation.evidence->now;
  const LatencyShape server = ServerBinds(played.investigation, now.breakdown.window);
  EXPECT_NEAR(server.count, now.breakdown.scheduled(), 0.02 * now.breakdown.scheduled());
  // Inside the API server a bind takes less than from outside, here not much less.
  const double bind = now.breakdown.points[kube::ExtensionPoint::kBind].mean();
  EXPECT_LT(server.mean(), bind);
  EXPECT_GT(server.mean(), 0.9 * bind);
  double all = server.open;
  for (const auto& [bound, n] : server.buckets) all += n;
  EXPECT_NEAR(all, server.count, 1e-6 * server.count);
}

TEST(ServerBindsTest, NoApiServerInTheDataNoBinds) {
  const test::Played played = test::Play("bind.apiserver");
  EXPECT_EQ(
      ServerBinds(played.investigation, played.investigation.evidence->now.breakdown.window).count,
      0);
}

}  // namespace
}  // namespace schedlens
