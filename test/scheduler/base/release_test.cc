#include "scheduler/base/release.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens::sim {
namespace {

TEST(Release, ReadsMinorAndPatch) {
  EXPECT_EQ(Release::Parse("1.20").minor, 20);
  EXPECT_EQ(Release::Parse("v1.26.4").patch, 4);
  EXPECT_EQ(Release::Parse("1.26.4").ToString(), "1.26.4");
  EXPECT_EQ(Release::Parse("1.26").ToString(), "1.26");
  for (const char* bad :
       {"", "1", "1.", "2.20", "1.17", "1.38", "1.26.", "1.26x", "1.26.4.1", "latest"}) {
    EXPECT_THROW(Release::Parse(bad), Error) << bad;
  }
}

TEST(Release, KnowsWhatChangedWhen) {
  EXPECT_FALSE(Release::Parse("1.23").failure_after_cleanup());
  EXPECT_TRUE(Release::Parse("1.26").failure_after_cleanup());
  EXPECT_FALSE(Release::Parse("1.29").algorithm_counts_failures());
  EXPECT_TRUE(Release::Parse("1.30").algorithm_counts_failures());
  EXPECT_TRUE(Release::Parse("1.34.1").async_api_calls());
  EXPECT_FALSE(Release::Parse("1.34.2").async_api_calls());
  EXPECT_FALSE(Release::Parse("1.34").async_api_calls());
  EXPECT_FALSE(Release::Parse("1.20").recorder_per_profile());
  EXPECT_TRUE(Release::Parse("1.26").recorder_per_profile());
  EXPECT_FALSE(Release::Parse("1.27").recorder_per_profile());
}

}  // namespace
}  // namespace schedlens::sim
