#include <gtest/gtest.h>

#include <vector>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/found_changes.h"

namespace schedlens {
namespace {

using testing_support::At;
using testing_support::Found;
using testing_support::kStart;
using testing_support::Lines;
using testing_support::Schedulers;

Series Counter(const char* metric, const char* job, double fall) {
  Series series{Labels{{"__name__", metric}, {"job", job}, {"instance", "i"}}, {}, {}};
  for (int t = 0; t <= 600; t += 10)
    series.samples.push_back({At(t), t < fall ? 1000.0 + t : 0.0 + t});
  return series;
}

ControlPlaneFacts Scraped(ControlPlaneFacts facts) {
  for (const auto& [question, answer] : facts.answers) {
    for (const Series& series : answer) {
      std::vector<TimeMs>& times = facts.scrapes[ProcessLabels(series.labels)];
      times.clear();
      for (const Sample& sample : series.samples) times.push_back(sample.t);
    }
  }
  return facts;
}

TEST(ProcessChangesTest, TellsRestartsReleasesAndLeaders) {
  Facts facts = Schedulers();
  facts.targets[0].starts = {At(-500), At(285)};
  Series leads{Labels{{"__name__", "leader_election_master_status"}, {"instance", "b"}}, {}, {}};
  Series version{Labels{{"__name__", "kubernetes_build_info"},
                        {"job", "apiserver"},
                        {"instance", "i"},
                        {"git_version", "v1.35.1"}},
                 {},
                 {}};
  Series newer = version;
  newer.labels = newer.labels.With("git_version", "v1.36.3");
  Series start{
      Labels{{"__name__", "process_start_time_seconds"}, {"job", "apiserver"}, {"instance", "i"}},
      {},
      {}};
  for (int t = 0; t <= 600; t += 10) {
    leads.samples.push_back({At(t), t < 290 ? 0.0 : 1.0});
    (t < 280 ? version : newer).samples.push_back({At(t), 1});
    start.samples.push_back({At(t), t < 280 ? kStart - 500 : kStart + 278});
  }
  facts.answers["leader"] = {leads};
  ControlPlaneFacts control_plane;
  control_plane.answers["processes"] = {newer, version, start};
  control_plane.answers["etcd"] = {
      Counter("etcd_disk_wal_fsync_duration_seconds_count", "etcd", 270)};
  EXPECT_EQ(Found(Scraped(control_plane), facts),
            (Lines{R"(change.process.restarted {instance="s:10259",job="kube-scheduler"} -15)",
                   R"(change.leader {instance="b"} -15)",
                   R"(change.process.restarted {instance="i",job="apiserver"} -22)",
                   R"(change.release {instance="i",job="apiserver"} -25 v1.35.1 -> v1.36.3)",
                   R"(change.process.restarted {instance="i",job="etcd"} -35)"}));
}

TEST(ProcessChangesTest, TellsFeatureGatesAndTheSchedulersOwnRelease) {
  const auto gate = [](const char* name, const char* stage, int from, int to, double value) {
    Series series{Labels{{"__name__", "kubernetes_feature_enabled"},
                         {"job", "kube-scheduler"},
                         {"instance", "s:10259"},
                         {"name", name},
                         {"stage", stage}},
                  {},
                  {}};
    for (int t = from; t <= to; t += 10) series.samples.push_back({At(t), value});
    return series;
  };
  const auto release = [](const char* version, int from, int to) {
    Series series{Labels{{"__name__", "kubernetes_build_info"},
                         {"job", "kube-scheduler"},
                         {"instance", "s:10259"},
                         {"git_version", version}},
                  {},
                  {}};
    for (int t = from; t <= to; t += 10) series.samples.push_back({At(t), 1});
    return series;
  };
  Facts facts = Schedulers();
  facts.answers["process"] = {gate("SchedulerAsyncAPICalls", "BETA", 0, 280, 0),
                              gate("SchedulerAsyncAPICalls", "", 290, 600, 1),
                              gate("SchedulerQueueingHints", "BETA", 0, 280, 1),
                              gate("SchedulerQueueingHints", "", 290, 600, 1),
                              release("v1.34.0", 0, 270),
                              release("v1.35.0", 290, 600)};
  EXPECT_EQ(
      Found({}, facts),
      (Lines{
          "change.feature SchedulerAsyncAPICalls -15 0 -> 1",
          R"(change.release {instance="s:10259",job="kube-scheduler"} -20 v1.34.0 -> v1.35.0)"}));
}

TEST(ProcessChangesTest, TellsTargetsThatAreScrapedNoLonger) {
  ControlPlaneFacts facts;
  Series api = Counter("x", "apiserver", 0);
  facts.answers["bindings"] = {api};
  EXPECT_EQ(Found(Scraped(facts)), Lines());
  api.samples.resize(29);  // up to 280
  facts.answers["bindings"] = {api};
  EXPECT_EQ(Found(Scraped(facts)),
            Lines{R"(change.target.gone {instance="i",job="apiserver"} -15)"});
  // Whoever comes back was busy, and that is no change after the onset.
  Series busy = Counter("x", "apiserver", 0);
  std::erase_if(busy.samples, [](const Sample& one) { return one.t > At(320) && one.t < At(400); });
  facts.answers["bindings"] = {busy};
  EXPECT_EQ(Found(Scraped(facts)), Lines());
  std::erase_if(busy.samples, [](const Sample& one) { return one.t > At(320); });
  facts.answers["bindings"] = {busy};
  EXPECT_EQ(Found(Scraped(facts)),
            Lines{R"(change.target.gone {instance="i",job="apiserver"} 25 after)"});
  facts.answers["bindings"] = {api};
  // Where the server itself was away, nobody went.
  Facts away = Schedulers();
  away.targets[0].scrapes.resize(29);
  EXPECT_EQ(Found(Scraped(facts), away), Lines());
}

}  // namespace
}  // namespace schedlens
