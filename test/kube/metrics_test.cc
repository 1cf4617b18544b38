#include "kube/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

namespace schedlens::kube {
namespace {

TEST(PresenceIn, KnowsWhenAMetricIsHiddenAndRemoved) {
  const MetricRow* e2e = FindMetric("scheduler_e2e_scheduling_duration_seconds_bucket");
  ASSERT_NE(e2e, nullptr);
  EXPECT_EQ(PresenceIn(*e2e, 20), Presence::kVisible);
  EXPECT_EQ(PresenceIn(*e2e, 24), Presence::kHidden);
  EXPECT_EQ(PresenceIn(*e2e, 27), Presence::kRemoved);
  EXPECT_EQ(LastShown(*e2e), 23);
  EXPECT_EQ(PresenceIn(*SuccessorOf(*e2e), 22), Presence::kNotYet);
  EXPECT_EQ(PresenceIn(RowOf(Metric::kBinding), 21), Presence::kRemoved);
  EXPECT_EQ(LastShown(RowOf(Metric::kBinding)), 20);
  EXPECT_EQ(FindMetric("apiserver_request_duration_seconds_bucket"), nullptr);
  EXPECT_TRUE(AlwaysShown(RowOf(Metric::kAlgorithm)));
  EXPECT_FALSE(AlwaysShown(*e2e));
  EXPECT_FALSE(AlwaysShown(RowOf(Metric::kAttempt)));
}

TEST(PresenceIn, WhatIsOlderThanTheOldestReleaseIsLikeIt) {
  EXPECT_EQ(PresenceIn(RowOf(Metric::kAlgorithm), 12), Presence::kVisible);
}

TEST(PredecessorOf, IsTheNameInEarlierReleases) {
  EXPECT_EQ(PredecessorOf(RowOf(Metric::kAttempt)), &RowOf(Metric::kE2e));
  EXPECT_EQ(PredecessorOf(RowOf(Metric::kBinding)), nullptr);
}

TEST(EraIn, TellsLabelsAndBucketsOfARelease) {
  const MetricRow& rest = RowOf(Metric::kRestRequest);
  EXPECT_EQ(EraIn(rest, 23).labels.back(), "url");
  EXPECT_EQ(EraIn(rest, 24).labels.back(), "host");
  EXPECT_EQ(EraIn(rest, 17).labels.back(), "url");
  EXPECT_TRUE(EraIn(RowOf(Metric::kE2e), 18).labels.empty());
  EXPECT_EQ(EraIn(RowOf(Metric::kVictims), 26).bounds->back(), 64);
}

TEST(BoundsIn, AreTheBoundsOfTheRelease) {
  const auto e2e = BoundsIn(RowOf(Metric::kE2e), 20);
  ASSERT_EQ(e2e.size(), 15u);
  EXPECT_EQ(e2e.back(), 16.384);
  const MetricRow& rest = RowOf(Metric::kRestRequest);
  EXPECT_EQ(BoundsIn(rest, 20).back(), 0.512);
  EXPECT_EQ(BoundsIn(rest, 24).back(), 60);
  EXPECT_TRUE(BoundsIn(rest, std::nullopt).empty()) << "releases disagree";
  EXPECT_EQ(BoundsIn(RowOf(Metric::kPodDuration), std::nullopt).back(), 5242.88);
  EXPECT_EQ(BoundsIn(RowOf(Metric::kPlugin), 20)[1], 1.5000000000000002e-05);
}

TEST(BoundsIn, EndWhereTheReleasesEnd) {
  const struct {
    Metric metric;
    int minor;
    std::size_t count;
    double top;
  } cases[] = {{Metric::kAttempt, 30, 15, 16.384},
               {Metric::kExtensionPoint, 30, 12, 0.2048},
               {Metric::kPlugin, 30, 20, 0.02216837820053101},
               {Metric::kPodSli, 30, 20, 5242.88},
               {Metric::kPodAttempts, 30, 5, 16},
               {Metric::kVictims, 20, 10, 50},
               {Metric::kVictims, 30, 7, 64},
               {Metric::kNodeHint, 36, 12, 0.02048},
               {Metric::kDraWait, 36, 14, 819.2},
               {Metric::kRestRequest, 18, 10, 0.512},
               {Metric::kRestRequest, 24, 12, 60}};
  for (const auto& c : cases) {
    const std::vector<double> bounds = BoundsIn(RowOf(c.metric), c.minor);
    ASSERT_EQ(bounds.size(), c.count) << NameOf(c.metric);
    EXPECT_DOUBLE_EQ(bounds.back(), c.top);
  }
  EXPECT_TRUE(BoundsIn(RowOf(Metric::kPendingPods), 30).empty());
}

TEST(ReleasesText, SaysWhereAMetricIsVisible) {
  const struct {
    Metric metric;
    const char* text;
  } cases[] = {{Metric::kAlgorithm, "all"},
               {Metric::kAttempt, "from 1.23"},
               {Metric::kBinding, "up to 1.20"},
               {Metric::kE2e, "up to 1.23; hidden in 1.24 to 1.26, gone in 1.27"},
               {Metric::kGoroutinesOld, "up to 1.26; hidden in 1.27, gone in 1.28"},
               {Metric::kAsyncCall, "from 1.34, gate SchedulerAsyncAPICalls"}};
  for (const auto& c : cases) EXPECT_EQ(ReleasesText(RowOf(c.metric)), c.text);
}

TEST(Names, AreThoseOfTheSeries) {
  EXPECT_EQ(NameOf(Metric::kProcessCpu), "process_cpu_seconds_total");
  EXPECT_EQ(BucketOf(Metric::kBinding), "scheduler_binding_duration_seconds_bucket");
  EXPECT_EQ(SumOf(Metric::kBinding), "scheduler_binding_duration_seconds_sum");
  EXPECT_EQ(CountOf(Metric::kBinding), "scheduler_binding_duration_seconds_count");
}

TEST(ParseRelease, ReadsWhatPeopleWrite) {
  EXPECT_EQ(ParseRelease("1.24"), 24);
  EXPECT_EQ(ParseRelease("v1.20.15"), 20);
  EXPECT_EQ(ParseRelease("1.23-1.25"), 25);
  for (const char* bad : {"", "1", "2.3", "1.", "1.x", "1.24beta", "latest"}) {
    EXPECT_FALSE(ParseRelease(bad)) << bad;
  }
}

Labels Scheduler(const char* job, const char* pod) { return Labels({{"job", job}, {"pod", pod}}); }

TEST(JobMatcher, NamesEachJobOnce) {
  EXPECT_EQ(JobMatcher({Scheduler("b", "1"), Scheduler("a", "2"), Scheduler("b", "3")}),
            "job=~\"a|b\"");
  EXPECT_EQ(JobMatcher({Scheduler("a.b", "1")}), R"(job=~"a\\.b")");
}

TEST(JobMatcher, IsEmptyWhereItWouldMissOne) {
  EXPECT_EQ(JobMatcher({}), "");
  EXPECT_EQ(JobMatcher({Scheduler("a", "1"), Labels({{"pod", "2"}})}), "");
}

TEST(OwnCounts, AreTheHistogramsOfAttemptsAndAlgorithm) {
  const std::regex own(std::string(kOwnPrefix) + std::string(kOwnCounts));
  for (const MetricRow& row : MetricTable()) {
    const bool is_own =
        row.id == Metric::kAttempt || row.id == Metric::kE2e || row.id == Metric::kAlgorithm;
    EXPECT_EQ(std::regex_match(std::string(row.name) + "_count", own), is_own) << row.name;
  }
}

TEST(MetricTable, RowsStandInTheOrderOfTheEnumAndNamesAreGivenOnce) {
  ASSERT_EQ(MetricTable().back().id, Metric::kBuildInfo);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < MetricTable().size(); ++i) {
    const MetricRow& row = MetricTable()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.id), i) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
  EXPECT_EQ(RowOf(Metric(int(Metric::kCount) - 1)).name,
            "kube_mutatingadmissionpolicybinding_created");
}

TEST(MetricTable, RowsAgreeWithThemselves) {
  for (const MetricRow& row : MetricTable()) {
    SCOPED_TRACE(row.name);
    EXPECT_LE(row.first, std::min(row.last, kNewestRelease));
    EXPECT_TRUE(row.hidden == kNoEnd || (row.first < row.hidden && row.hidden <= row.last));
    ASSERT_FALSE(row.eras.empty());
    const int described =
        row.last < kOldestRelease ? row.first : std::max(row.first, kOldestRelease);
    EXPECT_EQ(row.eras.front().since, described);
    EXPECT_TRUE(std::is_sorted(row.eras.begin(), row.eras.end(),
                               [](const auto& a, const auto& b) { return a.since < b.since; }));
    for (const MetricEra& era : row.eras) {
      EXPECT_EQ(!era.bounds->empty(), row.kind == MetricKind::kHistogram);
      EXPECT_LE(era.since, row.last);
    }
    const MetricRow* successor = SuccessorOf(row);
    EXPECT_EQ(successor == nullptr, row.successor.empty());
    EXPECT_TRUE(successor == nullptr || LastShown(row) < kNoEnd)
        << "only what ended has a successor";
    EXPECT_TRUE(successor == nullptr || successor->last == kNoEnd);
    EXPECT_GE(row.first, kOldestNamed);
  }
}

using Names = std::vector<std::string_view>;

TEST(ControlPlaneTable, RowsStandInTheOrderOfTheEnumAndNamesAreGivenOnce) {
  const std::size_t own = MetricTable().size();
  const auto read = static_cast<std::size_t>(Metric::kCount);
  ASSERT_GT(own + ControlPlaneTable().size(), read);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < ControlPlaneTable().size(); ++i) {
    const ControlPlaneMetricRow& row = ControlPlaneTable()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.id), std::min(own + i, read)) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(FindMetric(row.name), nullptr) << row.name << " is the scheduler's too";
    EXPECT_EQ(FindControlPlaneMetric(row.name), &row);
  }
}

TEST(ControlPlaneTable, RowsAgreeWithThemselves) {
  for (const ControlPlaneMetricRow& row : ControlPlaneTable()) {
    SCOPED_TRACE(row.name);
    const ComponentReleases releases = ReleasesOf(row.component);
    EXPECT_GE(row.first, releases.oldest);
    EXPECT_LE(row.first, std::min(row.last, releases.newest));
    EXPECT_TRUE(row.hidden == kNoEnd || (row.first < row.hidden && row.hidden <= row.last));
    ASSERT_FALSE(row.eras.empty());
    for (std::size_t i = 0; i < row.eras.size(); ++i) {
      const MetricEra& era = row.eras[i];
      EXPECT_EQ(!era.bounds->empty(), row.kind == MetricKind::kHistogram);
      EXPECT_LE(era.since, std::min(row.last, releases.newest));
      const std::set<std::string_view> distinct(era.labels.begin(), era.labels.end());
      EXPECT_EQ(distinct.size(), era.labels.size());
      if (i == 0) continue;
      EXPECT_LT(row.eras[i - 1].since, era.since);
      EXPECT_TRUE(row.eras[i - 1].labels != era.labels || row.eras[i - 1].bounds != era.bounds)
          << "an era that changes nothing";
    }
    EXPECT_TRUE(row.successor.empty() || FindControlPlaneMetric(row.successor) != nullptr);
    EXPECT_TRUE(row.successor.empty() || row.last < kNoEnd || row.hidden < kNoEnd)
        << "only what ended has a successor";
  }
}

TEST(ControlPlaneTable, BoundsAscendAndAreNeverEmpty) {
  for (const ControlPlaneMetricRow& row : ControlPlaneTable()) {
    for (const MetricEra& era : row.eras) {
      const std::vector<double>& bounds = *era.bounds;
      EXPECT_EQ(bounds.empty(), row.kind != MetricKind::kHistogram) << row.name;
      EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end(), std::less_equal<>())) << row.name;
    }
  }
}

TEST(ControlPlaneTable, TellsLabelsOfARelease) {
  const struct {
    ControlPlaneMetric metric;
    int minor;
    Names labels;
  } cases[] = {
      {ControlPlaneMetric::kApiserverFlowcontrolRequestWaitDuration,
       19,
       {"priorityLevel", "flowSchema", "execute"}},
      {ControlPlaneMetric::kApiserverFlowcontrolRequestWaitDuration,
       20,
       {"priority_level", "flow_schema", "execute"}},
      {ControlPlaneMetric::kApiserverFlowcontrolRequestExecution,
       23,
       {"priority_level", "flow_schema"}},
      {ControlPlaneMetric::kApiserverFlowcontrolRequestExecution,
       24,
       {"priority_level", "flow_schema", "type"}},
      {ControlPlaneMetric::kEtcdRequestDuration, 33, {"operation", "type"}},
      {ControlPlaneMetric::kEtcdRequestDuration, 34, {"operation", "group", "resource"}},
      {ControlPlaneMetric::kKubePodCreated, -1, {"namespace", "pod"}},
      {ControlPlaneMetric::kKubePodCreated, 1, {"namespace", "pod", "uid"}},
      {ControlPlaneMetric::kApiserverAdmissionWebhookAdmissionDuration,
       36,
       {"name", "type", "operation", "rejected"}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(EraIn(RowOf(c.metric), c.minor).labels, c.labels) << NameOf(c.metric) << c.minor;
  }
}

TEST(ControlPlaneTable, TellsBoundsOfARelease) {
  const struct {
    ControlPlaneMetric metric;
    int minor;
    std::size_t count;
    double first, last;
  } cases[] = {{ControlPlaneMetric::kApiserverRequestDuration, 20, 37, 0.05, 60},
               {ControlPlaneMetric::kApiserverRequestDuration, 24, 21, 0.05, 60},
               {ControlPlaneMetric::kApiserverRequestDuration, 25, 23, 0.005, 60},
               {ControlPlaneMetric::kApiserverRequestSliDuration, 36, 21, 0.05, 60},
               {ControlPlaneMetric::kApiserverAdmissionWebhookAdmissionDuration, 22, 5, 0.005, 2.5},
               {ControlPlaneMetric::kApiserverAdmissionWebhookAdmissionDuration, 26, 6, 0.005, 2.5},
               {ControlPlaneMetric::kApiserverAdmissionWebhookAdmissionDuration, 27, 8, 0.005, 25},
               {ControlPlaneMetric::kApiserverFlowcontrolRequestWaitDuration, 27, 12, 0, 30},
               {ControlPlaneMetric::kApiserverFlowcontrolRequestWaitDuration, 28, 13, 0, 30},
               {ControlPlaneMetric::kEtcdRequestDuration, 19, 11, 0.005, 10},
               {ControlPlaneMetric::kEtcdRequestDuration, 24, 11, 0.005, 60},
               {ControlPlaneMetric::kEtcdRequestDuration, 25, 23, 0.005, 60},
               {ControlPlaneMetric::kEtcdDiskWalFsyncDuration, 5, 14, 0.001, 8.192},
               {ControlPlaneMetric::kEtcdNetworkPeerRoundTripTime, 6, 16, 0.0001, 3.2768},
               {ControlPlaneMetric::kEtcdServerApplyDuration, 5, 20, 0.0001, 52.4288}};
  for (const auto& c : cases) {
    const std::vector<double>& bounds = *EraIn(RowOf(c.metric), c.minor).bounds;
    ASSERT_EQ(bounds.size(), c.count) << NameOf(c.metric) << c.minor;
    EXPECT_EQ(bounds.front(), c.first);
    EXPECT_DOUBLE_EQ(bounds.back(), c.last);
  }
}

TEST(ControlPlanePresence, KnowsWhatIsNewHiddenAndGone) {
  const struct {
    ControlPlaneMetric metric;
    int minor;
    Presence presence;
  } cases[] = {{ControlPlaneMetric::kApiserverRequestSloDuration, 22, Presence::kNotYet},
               {ControlPlaneMetric::kApiserverRequestSloDuration, 27, Presence::kVisible},
               {ControlPlaneMetric::kApiserverRequestSloDuration, 28, Presence::kHidden},
               {ControlPlaneMetric::kApiserverRequestSliDuration, 25, Presence::kNotYet},
               {ControlPlaneMetric::kEtcdServerApplyDuration, 4, Presence::kNotYet},
               {ControlPlaneMetric::kKubePodOwner, -1, Presence::kVisible}};
  for (const auto& c : cases) {
    EXPECT_EQ(PresenceIn(RowOf(c.metric), c.minor), c.presence) << NameOf(c.metric) << c.minor;
  }
  EXPECT_EQ(PredecessorOf(RowOf(ControlPlaneMetric::kApiserverRequestSliDuration)),
            &RowOf(ControlPlaneMetric::kApiserverRequestSloDuration));
}

TEST(ControlPlanePresence, KnowsWhatPublicRulesUse) {
  EXPECT_EQ(PresenceIn(*FindControlPlaneMetric("apiserver_dropped_requests_total"), 25),
            Presence::kRemoved);
  EXPECT_EQ(PresenceIn(*FindControlPlaneMetric("kube_pod_status_ready_time"), 7),
            Presence::kNotYet);
  EXPECT_EQ(EraIn(*FindControlPlaneMetric("kube_lease_owner"), 4).labels,
            (Names{"lease", "owner_kind", "owner_name"}));
}

TEST(FindControlPlaneMetric, TakesTheNamesOfSeries) {
  EXPECT_EQ(FindControlPlaneMetric("apiserver_request_duration_seconds_bucket"),
            &RowOf(ControlPlaneMetric::kApiserverRequestDuration));
  EXPECT_EQ(FindControlPlaneMetric("scheduler_pending_pods"), nullptr);
  EXPECT_EQ(FindControlPlaneMetric("rest_client_request_duration_seconds"), nullptr);
  EXPECT_EQ(SumOf(ControlPlaneMetric::kEtcdRequestDuration), "etcd_request_duration_seconds_sum");
  EXPECT_EQ(CountOf(ControlPlaneMetric::kEtcdRequestDuration),
            "etcd_request_duration_seconds_count");
}

TEST(ControlPlane, HaveAReleaseForEachOfKubernetes) {
  for (int minor = kOldestRelease; minor <= kNewestRelease; ++minor) {
    for (const auto& [component, number] :
         {std::pair(Component::kEtcd, EtcdOf(minor)),
          std::pair(Component::kKubeStateMetrics, KubeStateMetricsOf(minor))}) {
      EXPECT_GE(number, ReleasesOf(component).oldest);
      EXPECT_LE(number, ReleasesOf(component).newest);
    }
  }
  EXPECT_EQ(EtcdOf(36), 6);
  EXPECT_EQ(KubeStateMetricsOf(36), 20);
  EXPECT_EQ(KubeStateMetricsOf(18), -1);
}

TEST(OnByDefault, IsByRelease) {
  EXPECT_FALSE(OnByDefault(Gate::kPriorityAndFairness, 19));
  EXPECT_TRUE(OnByDefault(Gate::kPriorityAndFairness, 20));
  EXPECT_FALSE(OnByDefault(Gate::kQueueingHints, 31));
  EXPECT_TRUE(OnByDefault(Gate::kQueueingHints, 32));
  EXPECT_FALSE(OnByDefault(Gate::kGenericWorkload, 36));
  EXPECT_TRUE(OnByDefault(Gate::kDraExtendedResource, 36));
  EXPECT_TRUE(OnByDefault(Gate::kNone, 18));
}

}  // namespace
}  // namespace schedlens::kube
