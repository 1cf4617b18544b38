#include "stats/histogram_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "messages/catalog.h"
#include "stats/scrapes.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GroupHistogramsTest, PutsBucketsSumAndCountOfOneLabelSetTogether) {
  const auto groups = GroupHistograms(ThreeScrapes(), "x").children;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].labels.ToString(), "{job=\"kube-scheduler\"}");
  EXPECT_THAT(groups[0].times, ElementsAre(5000, 10000, 15000));
  EXPECT_THAT(groups[0].Row(1), ElementsAre(3, 4));
  EXPECT_THAT(groups[0].sums, ElementsAre(0.05, 1.05, 3.05));
}

TEST(GroupHistogramsTest, LeavesOutAndNamesWhatItCannotUse) {
  auto series = ThreeScrapes();
  series.push_back(Make("x_bucket", "tiny", {{5000, 1}}));
  series[0].samples.erase(series[0].samples.begin() + 1);  // the scrape at 10 s is torn
  const auto [groups, warnings] = GroupHistograms(series, "x");
  EXPECT_THAT(groups[0].times, ElementsAre(5000, 15000));
  EXPECT_THAT(InEnglish(warnings), ElementsAre(HasSubstr("le is missing or not a number"),
                                               HasSubstr("1 scrape without all buckets")));
}

TEST(WholeRowTest, IsFiniteNotNegativeAndNeverFalls) {
  EXPECT_TRUE(WholeRow(std::vector<double>{0, 2.5, 2.5}));
  EXPECT_TRUE(WholeRow(std::vector<double>{}));
  EXPECT_FALSE(WholeRow(std::vector<double>{3, 2, 5}));
  EXPECT_FALSE(WholeRow(std::vector<double>{-1, 2, 5}));
  EXPECT_FALSE(WholeRow(std::vector<double>{1, 2, HUGE_VAL}));
  EXPECT_FALSE(WholeRow(std::vector<double>{1, std::nan(""), 5}));
}

}  // namespace
}  // namespace schedlens
