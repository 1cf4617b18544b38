#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/source.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(OpenAnySourceTest, PlaysAScenarioAndAnswersLikeAnyOther) {
  SourceOptions options;
  options.scenario = "healthy";
  const auto source = OpenAnySource(options);
  const SourceInfo info = source->Describe();
  ASSERT_TRUE(info.extent);
  Query query;
  query.promql = "count(scheduler_e2e_scheduling_duration_seconds_bucket)";
  query.start = query.end = info.extent->end;
  EXPECT_FALSE(source->Ask(query).series.empty());
}

TEST(OpenAnySourceTest, AnUnknownScenarioIsAnErrorOfOneLine) {
  SourceOptions options;
  options.scenario = "healthyy";
  try {
    OpenAnySource(options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("healthy"));
  }
}

}  // namespace
}  // namespace schedlens
