#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/store_source.h"
#include "lint/lint.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing_support::Recording;
using testing_support::StoreSource;

/// The times of a recording's samples are not the clock's: say where it ends.
ClusterSeen Look(StoreSource source, TimeMs end) {
  return LookAtCluster(source, QuerySet::Embedded(), "", std::nullopt, end);
}

constexpr TimeMs kIncident = 1795223700000;

TEST(LookAtClusterTest, ReadsReleaseAndScrapesOfRealSchedulers) {
  const ClusterSeen old = Look(Recording("quantile-inversion-A"), kIncident);
  EXPECT_EQ(old.release, 20);
  EXPECT_EQ(old.scrape_ms, 5000);
  EXPECT_THAT(old.exposed, Contains("scheduler_binding_duration_seconds"));
}

// Native histograms stand under the bare name; functions over time need not take them.
TEST(LookAtClusterTest, SeesHistogramsUnderTheirBareNames) {
  constexpr char kOwn[] = "scheduler_scheduling_algorithm_duration_seconds";
  const auto samples = [](double value) {
    std::vector<Sample> all;
    for (TimeMs at = 5000; at <= 60000; at += 5000) all.push_back({at, value});
    return all;
  };
  NativeHistogram one;
  one.count = 3;
  one.sum = 1.5;
  std::vector<NativeSample> natives;
  for (TimeMs at = 5000; at <= 60000; at += 5000) natives.push_back({at, one});
  const auto named = [](const std::string& name) {
    return Labels({{"__name__", name}, {"job", "kube-scheduler"}, {"instance", "a"}});
  };
  StoreSource source({{named(std::string(kOwn) + "_count"), samples(3), {}},
                      {named(std::string(kOwn) + "_sum"), samples(1), {}},
                      {named(kOwn), {}, natives}});
  const ClusterSeen seen = LookAtCluster(source, QuerySet::Embedded(), "", std::nullopt, 60000);
  EXPECT_THAT(seen.native, ElementsAre(kOwn));
  EXPECT_THAT(seen.native_only, ElementsAre(kOwn));
  EXPECT_THAT(seen.exposed, Contains(kOwn));

  // Nothing else tells that there is a scheduler.
  StoreSource alone({{named(kOwn), {}, natives}});
  const ClusterSeen bare = LookAtCluster(alone, QuerySet::Embedded(), "", std::nullopt, 60000);
  EXPECT_THAT(bare.native_only, ElementsAre(kOwn));
  EXPECT_EQ(bare.release, std::nullopt);

  StoreSource both({{named(std::string(kOwn) + "_bucket"), samples(3), {}},
                    {named(std::string(kOwn) + "_count"), samples(3), {}},
                    {named(kOwn), {}, natives}});
  const ClusterSeen two = LookAtCluster(both, QuerySet::Embedded(), "", std::nullopt, 60000);
  EXPECT_THAT(two.native, ElementsAre(kOwn));
  EXPECT_TRUE(two.native_only.empty());
}

TEST(LookAtClusterTest, WithoutASchedulerThereIsNothingToJudgeBy) {
  StoreSource source({{Labels({{"__name__", "up"}, {"job", "x"}}), {{5000, 1}, {10000, 1}}, {}}});
  EXPECT_THROW(LookAtCluster(source, QuerySet::Embedded(), "", std::nullopt, 10000), Error);
}

}  // namespace
}  // namespace schedlens
