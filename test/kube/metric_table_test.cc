// The rows of the table.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kube/metrics.h"

namespace schedlens::kube {
namespace {

TEST(MetricTable, RowsStandInTheOrderOfTheEnumAndNamesAreGivenOnce) {
  ASSERT_EQ(MetricTable().size(), static_cast<std::size_t>(Metric::kCount));
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < MetricTable().size(); ++i) {
    const MetricRow& row = MetricTable()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.id), i) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
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
      EXPECT_EQ(era.buckets != BucketLayout::kNone, row.kind == MetricKind::kHistogram);
      EXPECT_LE(era.since, row.last);
    }
    EXPECT_TRUE(!row.successor || row.last < kNoEnd) << "only what ended has a successor";
    EXPECT_TRUE(!row.successor || RowOf(*row.successor).last == kNoEnd);
    EXPECT_GE(row.first, kOldestNamed);
  }
}

}  // namespace
}  // namespace schedlens::kube
