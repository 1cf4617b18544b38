#include "analysis/lint/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/store_source.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::Contains;
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

TEST(LookAtClusterTest, WithoutASchedulerThereIsNothingToJudgeBy) {
  StoreSource source({{Labels({{"__name__", "up"}, {"job", "x"}}), {{5000, 1}, {10000, 1}}, {}}});
  EXPECT_THROW(LookAtCluster(source, QuerySet::Embedded(), "", std::nullopt, 10000), Error);
}

}  // namespace
}  // namespace schedlens
