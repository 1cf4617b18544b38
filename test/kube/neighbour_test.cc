// The neighbours' metrics by release: the rows agree with themselves, and what the rows say of
// some releases is what those releases export.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kube/neighbour_metrics.h"

namespace schedlens::kube {
namespace {

using Names = std::vector<std::string_view>;

TEST(NeighbourTable, RowsStandInTheOrderOfTheEnumAndNamesAreGivenOnce) {
  const auto read = static_cast<std::size_t>(Neighbour::kCount);
  ASSERT_GT(NeighbourTable().size(), read);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < NeighbourTable().size(); ++i) {
    const NeighbourRow& row = NeighbourTable()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.id), std::min(i, read)) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(FindMetric(row.name), nullptr) << row.name << " is the scheduler's too";
    EXPECT_EQ(FindNeighbour(row.name), &row);
  }
}

TEST(NeighbourTable, RowsAgreeWithThemselves) {
  for (const NeighbourRow& row : NeighbourTable()) {
    SCOPED_TRACE(row.name);
    const ComponentReleases releases = ReleasesOf(row.component);
    EXPECT_GE(row.first(), releases.oldest);
    EXPECT_LE(row.first(), std::min(row.last, releases.newest));
    EXPECT_TRUE(row.hidden == kNoEnd || (row.first() < row.hidden && row.hidden <= row.last));
    ASSERT_FALSE(row.eras.empty());
    for (std::size_t i = 0; i < row.eras.size(); ++i) {
      const MetricEra& era = row.eras[i];
      EXPECT_EQ(era.buckets != BucketLayout::kNone, row.kind == MetricKind::kHistogram);
      EXPECT_LE(era.since, std::min(row.last, releases.newest));
      const std::set<std::string_view> distinct(era.labels.begin(), era.labels.end());
      EXPECT_EQ(distinct.size(), era.labels.size());
      if (i == 0) continue;
      EXPECT_LT(row.eras[i - 1].since, era.since);
      EXPECT_TRUE(row.eras[i - 1].labels != era.labels || row.eras[i - 1].buckets != era.buckets)
          << "an era that changes nothing";
    }
    EXPECT_TRUE(row.successor.empty() || FindNeighbour(row.successor) != nullptr);
    EXPECT_TRUE(row.successor.empty() || row.last < kNoEnd || row.hidden < kNoEnd)
        << "only what ended has a successor";
  }
}

TEST(NeighbourTable, BoundsAscendAndAreNeverEmpty) {
  for (const NeighbourRow& row : NeighbourTable()) {
    for (const MetricEra& era : row.eras) {
      const std::vector<double>& bounds = BoundsOf(era.buckets);
      EXPECT_EQ(bounds.empty(), row.kind != MetricKind::kHistogram) << row.name;
      EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end(), std::less_equal<>())) << row.name;
    }
  }
}

TEST(NeighbourTable, TellsLabelsOfARelease) {
  const struct {
    Neighbour metric;
    int minor;
    Names labels;
  } cases[] = {
      {Neighbour::kApiserverFlowcontrolRequestWaitDuration,
       19,
       {"priorityLevel", "flowSchema", "execute"}},
      {Neighbour::kApiserverFlowcontrolRequestWaitDuration,
       20,
       {"priority_level", "flow_schema", "execute"}},
      {Neighbour::kApiserverFlowcontrolRequestExecution, 23, {"priority_level", "flow_schema"}},
      {Neighbour::kApiserverFlowcontrolRequestExecution,
       24,
       {"priority_level", "flow_schema", "type"}},
      {Neighbour::kEtcdRequestDuration, 33, {"operation", "type"}},
      {Neighbour::kEtcdRequestDuration, 34, {"operation", "group", "resource"}},
      {Neighbour::kKubePodCreated, -1, {"namespace", "pod"}},
      {Neighbour::kKubePodCreated, 1, {"namespace", "pod", "uid"}},
      {Neighbour::kApiserverAdmissionWebhookAdmissionDuration,
       36,
       {"name", "type", "operation", "rejected"}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(EraIn(RowOf(c.metric), c.minor).labels, c.labels) << NameOf(c.metric) << c.minor;
  }
}

TEST(NeighbourTable, TellsBoundsOfARelease) {
  const struct {
    Neighbour metric;
    int minor;
    std::size_t count;
    double first, last;
  } cases[] = {{Neighbour::kApiserverRequestDuration, 20, 37, 0.05, 60},
               {Neighbour::kApiserverRequestDuration, 24, 21, 0.05, 60},
               {Neighbour::kApiserverRequestDuration, 25, 23, 0.005, 60},
               {Neighbour::kApiserverRequestSliDuration, 36, 21, 0.05, 60},
               {Neighbour::kApiserverAdmissionWebhookAdmissionDuration, 22, 5, 0.005, 2.5},
               {Neighbour::kApiserverAdmissionWebhookAdmissionDuration, 26, 6, 0.005, 2.5},
               {Neighbour::kApiserverAdmissionWebhookAdmissionDuration, 27, 8, 0.005, 25},
               {Neighbour::kApiserverFlowcontrolRequestWaitDuration, 27, 12, 0, 30},
               {Neighbour::kApiserverFlowcontrolRequestWaitDuration, 28, 13, 0, 30},
               {Neighbour::kEtcdRequestDuration, 19, 11, 0.005, 10},
               {Neighbour::kEtcdRequestDuration, 24, 11, 0.005, 60},
               {Neighbour::kEtcdRequestDuration, 25, 23, 0.005, 60},
               {Neighbour::kEtcdDiskWalFsyncDuration, 5, 14, 0.001, 8.192},
               {Neighbour::kEtcdNetworkPeerRoundTripTime, 6, 16, 0.0001, 3.2768},
               {Neighbour::kEtcdServerApplyDuration, 5, 20, 0.0001, 52.4288}};
  for (const auto& c : cases) {
    const std::vector<double>& bounds = BoundsOf(EraIn(RowOf(c.metric), c.minor).buckets);
    ASSERT_EQ(bounds.size(), c.count) << NameOf(c.metric) << c.minor;
    EXPECT_EQ(bounds.front(), c.first);
    EXPECT_DOUBLE_EQ(bounds.back(), c.last);
  }
}

TEST(NeighbourPresence, KnowsWhatIsNewHiddenAndGone) {
  const struct {
    Neighbour metric;
    int minor;
    Presence presence;
  } cases[] = {{Neighbour::kApiserverRequestSloDuration, 22, Presence::kNotYet},
               {Neighbour::kApiserverRequestSloDuration, 27, Presence::kVisible},
               {Neighbour::kApiserverRequestSloDuration, 28, Presence::kHidden},
               {Neighbour::kApiserverRequestSliDuration, 25, Presence::kNotYet},
               {Neighbour::kEtcdServerApplyDuration, 4, Presence::kNotYet},
               {Neighbour::kKubePodOwner, -1, Presence::kVisible}};
  for (const auto& c : cases) {
    EXPECT_EQ(PresenceIn(RowOf(c.metric), c.minor), c.presence) << NameOf(c.metric) << c.minor;
  }
  EXPECT_EQ(PredecessorOf(RowOf(Neighbour::kApiserverRequestSliDuration)),
            &RowOf(Neighbour::kApiserverRequestSloDuration));
}

TEST(NeighbourPresence, KnowsWhatPublicRulesUse) {
  EXPECT_EQ(PresenceIn(*FindNeighbour("apiserver_dropped_requests_total"), 25), Presence::kRemoved);
  EXPECT_EQ(PresenceIn(*FindNeighbour("kube_pod_status_ready_time"), 7), Presence::kNotYet);
  EXPECT_EQ(EraIn(*FindNeighbour("kube_lease_owner"), 4).labels,
            (Names{"lease", "owner_kind", "owner_name"}));
}

TEST(FindNeighbour, TakesTheNamesOfSeries) {
  EXPECT_EQ(FindNeighbour("apiserver_request_duration_seconds_bucket"),
            &RowOf(Neighbour::kApiserverRequestDuration));
  EXPECT_EQ(FindNeighbour("scheduler_pending_pods"), nullptr);
  EXPECT_EQ(FindNeighbour("rest_client_request_duration_seconds"), nullptr);
  EXPECT_EQ(SumOf(Neighbour::kEtcdRequestDuration), "etcd_request_duration_seconds_sum");
  EXPECT_EQ(CountOf(Neighbour::kEtcdRequestDuration), "etcd_request_duration_seconds_count");
}

TEST(Neighbours, HaveAReleaseForEachOfKubernetes) {
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
