#include "promql/bucket_groups.h"

#include <gtest/gtest.h>

#include <limits>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

TEST(BucketGroupsTest, SortsByBoundAddsEqualOnesAndSkipsWhatIsAbsent) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  StepVector vector(2);
  vector.Append({{"le", "+Inf"}})[0] = 5;
  vector.Append({{"le", "1e-1"}})[0] = 1;
  vector.Append({{"le", "0.1"}})[0] = 2;
  vector.Append({{"le", "x"}})[0] = 9;
  vector.Append({{"a", "b"}, {"le", "1"}})[1] = 7;
  const SeriesStore store(std::vector<Series>{});
  const Semantics semantics = ParseSemantics("3.5");
  Annotations annotations("h", semantics);
  const Evaluation evaluation{store, semantics, 0, {}, 0, 0, true, "h", &annotations};
  const std::vector<BucketGroup> groups = GroupBuckets(evaluation, vector, Expr{});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].labels, Labels({{"a", "b"}}));
  BucketsAtStep buckets(vector, groups[0]);
  ASSERT_TRUE(buckets.Move(0));
  EXPECT_EQ(std::vector<double>(buckets.bounds().begin(), buckets.bounds().end()),
            (std::vector<double>{0.1, kInf}));
  EXPECT_EQ(buckets.counts()[0], 3);
  EXPECT_FALSE(buckets.Move(1));
  Answer answer;
  annotations.MoveTo(&answer);
  EXPECT_EQ(answer.warnings.size(), 1U);
}

}  // namespace
}  // namespace schedlens::promql
