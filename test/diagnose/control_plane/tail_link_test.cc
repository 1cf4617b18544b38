#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/control_plane/binding_path.h"
#include "diagnose/control_plane/cluster.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::kNow;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// 1,000 attempts of which 64 took more than 1.024 s and 9 of these more than 2.048 s.
WindowIncreases Attempts() {
  ScrapeIncreases child;
  child.bounds = {0.512, 1.024, 2.048, kInf};
  child.edges = {kNow.start, kNow.end};
  child.buckets = {900, 36, 55, 9};
  child.sums = {200};
  child.reset = {false};
  WindowIncreases cells;
  cells.window = kNow;
  cells.attempt.push_back(child);
  return cells;
}

/// 1,000 bindings, `over` of them over 1.25 s.
test::Cluster Bindings(double over, double bindings = 1000) {
  const std::string name = "apiserver_request_duration_seconds";
  test::Cluster cluster;
  cluster.Add("bindings", name + "_count", {}, 0, bindings);
  cluster.Add("bindings", name + "_bucket", {{"le", "1.0"}}, 0, bindings - over - 2);
  cluster.Add("bindings", name + "_bucket", {{"le", "1.25"}}, 0, bindings - over);
  cluster.Add("bindings", name + "_bucket", {{"le", "+Inf"}}, 0, bindings);
  return cluster;
}

BindingPath Path(double bindings = 1000) {
  BindingPath path;
  path.binds = path.calls = 1000;
  path.bindings = {0.9 * bindings, bindings, bindings};
  return path;
}

TEST(LinkTailsTest, CountsSlowAttemptsThatWereSlowInsideTheServer) {
  const test::Cluster cluster = Bindings(60);
  const auto link = LinkTails(cluster.facts(), Path(), Attempts(), {1, 2}, std::nullopt);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->over, 1.024) << "at 0.512 s they prove less";
  EXPECT_EQ(link->inside, 1.25);
  EXPECT_EQ(link->attempts, 64);
  EXPECT_NEAR(link->least, 0.9 * 60 - 2, 1e-9) << "within the scrapes, but for those running";
  EXPECT_FALSE(link->sufficient) << "there is no threshold";
  EXPECT_EQ(InEnglish(link->Sentence()),
            "Of 64 attempts over 1.024 s at least 52 were over 1.25 s inside the API server.");
}

TEST(LinkTailsTest, OfTheAttemptsOverTheThresholdTheServersAloneMadeSome) {
  const test::Cluster cluster = Bindings(60);
  const auto link = LinkTails(cluster.facts(), Path(), Attempts(), {1, 2}, 1.024);
  ASSERT_TRUE(link);
  ASSERT_TRUE(link->sufficient);
  EXPECT_NEAR(*link->sufficient->low, (54 - 2) / 64.0, 1e-9) << "over 1.25 s";
  EXPECT_NEAR(*link->sufficient->high, (62 + 1) / 64.0, 1e-9) << "over 1 s, and one that ran then";
  const auto between = LinkTails(cluster.facts(), Path(), Attempts(), {}, 0.8);
  ASSERT_TRUE(between);
  EXPECT_EQ(between->attempts, 64) << "over the next bound";
  EXPECT_NEAR(*between->sufficient->low, 55.8 / 100, 1e-9) << "as many may be over the threshold";
  EXPECT_EQ(*between->sufficient->high, 1);
  EXPECT_FALSE(LinkTails(cluster.facts(), Path(), Attempts(), {}, 5.0))
      << "no bound of the servers is as high";
}

TEST(LinkTailsTest, NothingWhereTheCountsAreNotOfTheSameBindings) {
  EXPECT_FALSE(LinkTails(Bindings(90).facts(), Path(), Attempts(), {}, std::nullopt))
      << "more slow bindings than slow attempts";
  EXPECT_FALSE(LinkTails(Bindings(60).facts(), Path(1300), Attempts(), {}, std::nullopt))
      << "more bindings than the scheduler made";
  WindowIncreases restarted = Attempts();
  restarted.attempt[0].reset = {true};
  EXPECT_FALSE(LinkTails(Bindings(60).facts(), Path(), restarted, {}, std::nullopt))
      << "attempts were lost";
  EXPECT_FALSE(LinkTails(test::Cluster().facts(), Path(), Attempts(), {}, std::nullopt));
}

TEST(LinkTailsTest, ServersThatAreMissingMayHaveHadTheOthers) {
  BindingPath path = Path(300);
  path.some_missing = true;
  const auto link = LinkTails(Bindings(20, 300).facts(), path, Attempts(), {}, 1.024);
  ASSERT_TRUE(link);
  EXPECT_NEAR(link->least, 18, 1e-9);
  EXPECT_EQ(*link->sufficient->high, 1);
}

}  // namespace
}  // namespace schedlens
