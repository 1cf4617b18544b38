#include "diagnose/causes/window_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Judge;
using test::Quick;

TEST(CaseTest, QuietIsNeitherSlowNorFailing) {
  const auto r = Judge(Quick);
  EXPECT_FALSE(r.c.slow);
  EXPECT_FALSE(r.c.failing);
  EXPECT_NEAR(r.c.TotalGrowth(), 0, 0.05);
}

TEST(CaseTest, ATailThatLeftItsBucketIsSlow) {
  const auto r = Judge([](int i) { return i % 20 ? Quick(i) : Attempt{.bind = 2.5}; });
  EXPECT_TRUE(r.c.slow);
  EXPECT_NEAR(r.c.Growth(kube::Stage::kBindPlugins), 75 * 2.5, 2);
  EXPECT_NEAR(r.c.Growth(kube::Stage::kAlgorithm), 0, 0.1);
}

TEST(CaseTest, QuickAttemptsAreNeverSlowWhateverTheyWereBefore) {
  const auto r = Judge([](int) { return Attempt{.bind = 0.06}; });
  EXPECT_FALSE(r.c.slow);
}

TEST(CaseTest, ManyMoreFailedAttemptsAreFailing) {
  const auto r = Judge([](int i) { return i % 2 ? Quick(i) : Attempt{.result = "unschedulable"}; });
  EXPECT_TRUE(r.c.failing);
  EXPECT_FALSE(r.c.slow);
  EXPECT_GT(r.c.FailedGrowth(), 0);
}

TEST(CaseTest, TheThresholdOfTheAlertDecidesToo) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? Quick(i) : Attempt{.bind = 0.3}; });
  EXPECT_TRUE(Judge(r, 0.2).c.slow);
}

TEST(CaseTest, AFewMoreFailuresThanChanceExplainsAreFailingFromTenPointsOn) {
  const auto failing = [](int of, int per_scrape) {
    test::Recorder r;
    test::RecordIncident(
        &r, [of](int i) { return i % 100 < of ? Attempt{.result = "unschedulable"} : Quick(i); },
        per_scrape);
    return Judge(r).c.failing;
  };
  EXPECT_FALSE(failing(8, 50)) << "significant, and eight points";
  EXPECT_TRUE(failing(12, 50));
}

TEST(CaseTest, AShareOfFailuresThatChanceExplainsIsNotFailing) {
  // One attempt a scrape: 20 before, 30 now, the first five of which fail.
  test::Recorder r;
  test::RecordIncident(
      &r, [](int i) { return i < 25 ? Attempt{.result = "unschedulable"} : Quick(i); }, 1);
  const auto c = Judge(r).c;
  EXPECT_GT(c.now.breakdown.failed() / c.now.breakdown.e2e.count, 0.1);
  EXPECT_FALSE(c.failing);
}

bool Contradicts(const test::Recorded& r, std::string_view id) {
  return std::ranges::any_of(r.c.contradictions,
                             [&](const Message& message) { return message.id == id; });
}

TEST(ContradictionsTest, PostsBeyondAnEventAnAttemptAreBindingsThatBindMustCount) {
  // Fifty attempts a scrape.
  const Attempt by_others{.extender_bind = 0.005};
  const struct {
    const char* name;
    int of_two;    ///< of two pods so many are bound without Bind
    double posts;  ///< a scrape; none: the client's metrics are not there
    bool contradicts;
  } cases[] = {
      {"an extender binds: one POST a pod", 2, 50, false},
      {"Bind does not count: two a pod", 2, 100, true},
      {"a quarter of the pods is no more than chance", 2, 62, false},
      {"more than a quarter, and look-ups of who scrapes", 2, 75, true},
      {"without the client's metrics", 2, 0, false},
      {"Bind counts all", 0, 100, false},
      {"it counts all, and others post", 0, 200, false},
      {"an extender binds half", 1, 75, false},
      {"half is not counted", 1, 100, true},
  };
  for (const auto& c : cases) {
    test::Recorder r;
    const auto post = [&](test::Recorder& rec, double n) {
      if (c.posts == 0) return;
      rec.Add("rest_client_request_duration_seconds_sum", {{"verb", "POST"}}, n * 0.005);
      rec.Add("rest_client_request_duration_seconds_count", {{"verb", "POST"}}, n);
      rec.Add("rest_client_request_duration_seconds_count", {{"verb", "GET"}}, 1000);
    };
    post(r, 0);
    test::RecordIncident(
        &r, [&](int i) { return i % 2 < c.of_two ? by_others : Quick(i); }, 50,
        [&](test::Recorder& rec) { post(rec, c.posts); });
    EXPECT_EQ(Contradicts(Judge(r), "contradiction.binds"), c.contradicts) << c.name;
  }
}

TEST(ContradictionsTest, APluginWhereItCannotRunSwapsPoints) {
  const struct {
    const char *plugin, *point;
    bool contradicts;
  } cases[] = {
      {"DefaultBinder", "Bind", false},
      {"DefaultBinder", "PreBind", true},
      {"NodeName", "Filter", false},
      {"NodeName", "PreFilter", false},
      {"NodeUnschedulable", "Filter", false},
      {"NodeUnschedulable", "Score", true},
      {"ImageLocality", "Score", false},
      {"ImageLocality", "Filter", true},
      {"NodeName", "Score", true},
      {"NodeUnschedulable", "Sign", false},
      {"VolumeBinding", "PreBind", false},
      {"VolumeBinding", "Filter", false},
      {"MyBinder", "PreBind", false},
  };
  for (const auto& c : cases) {
    test::Recorder r;
    const auto call = [&](test::Recorder& rec, double n) {
      const std::vector<Labels::Pair> labels = {{"extension_point", c.point}, {"plugin", c.plugin}};
      rec.Add("scheduler_plugin_execution_duration_seconds_count", labels, n);
      rec.Add("scheduler_plugin_execution_duration_seconds_sum", labels, n * 1e-5);
    };
    call(r, 0);
    test::RecordIncident(&r, Quick, 50, [&](test::Recorder& rec) { call(rec, 5); });
    EXPECT_EQ(Contradicts(Judge(r), "contradiction.plugin"), c.contradicts)
        << c.plugin << " " << c.point;
  }
}

}  // namespace
}  // namespace schedlens
