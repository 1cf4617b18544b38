#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "messages/catalog.h"
#include "stats/scrape_increases.h"
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

TEST(GroupHistogramsTest, KeepsTheBoundsFromBeforeAndAfterARelease) {
  const auto bucket = [](const char* le, TimeMs from, TimeMs to) {
    std::vector<Sample> samples;
    for (TimeMs t = from; t <= to; t += 1000) samples.push_back({t, static_cast<double>(t)});
    return Make("x_bucket", le, samples);
  };
  // The first scrape of one bucket and the last of another are torn: those two scrapes are lost.
  const auto [groups, warnings] = GroupHistograms(
      std::vector<Series>{bucket("1", 1000, 9000), bucket("2", 1000, 5000), bucket("3", 6000, 9000),
                          bucket("4", 2000, 9000), bucket("+Inf", 1000, 8000)},
      "x");
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_THAT(groups[0].bounds, ElementsAre(1, 4, HUGE_VAL));
  EXPECT_THAT(groups[0].times, ElementsAre(2000, 3000, 4000, 5000, 6000, 7000, 8000));
  EXPECT_THAT(InEnglish(warnings), ElementsAre(HasSubstr("changed at 1970-01-01T00:00:06Z"),
                                               HasSubstr("2 scrapes without all buckets")));
}

TEST(GroupHistogramsTest, WithoutACommonBoundNothingIsLeft) {
  const auto [groups, warnings] =
      GroupHistograms(std::vector<Series>{Make("x_bucket", "1", {{1000, 1}, {2000, 1}}),
                                          Make("x_bucket", "2", {{3000, 1}, {4000, 1}})},
                      "x");
  EXPECT_TRUE(groups.at(0).times.empty());
  EXPECT_THAT(InEnglish(warnings), ElementsAre(HasSubstr("4 scrapes without all buckets")));
}

TEST(WholeRowTest, IsACountNotNegativeAndNeverFalls) {
  EXPECT_TRUE(WholeRow(std::vector<double>{0, 2.5, 2.5}));
  EXPECT_TRUE(WholeRow(std::vector<double>{}));
  EXPECT_FALSE(WholeRow(std::vector<double>{3, 2, 5}));
  EXPECT_FALSE(WholeRow(std::vector<double>{-1, 2, 5}));
  EXPECT_FALSE(WholeRow(std::vector<double>{1, 2, HUGE_VAL}));
  EXPECT_FALSE(WholeRow(std::vector<double>{1, 2, 0x1p53}));
  EXPECT_FALSE(WholeRow(std::vector<double>{1, std::nan(""), 5}));
}

}  // namespace
}  // namespace schedlens
