#include <gtest/gtest.h>

#include <cmath>

#include "promql/evaluation.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

StepVector Of(const std::vector<std::pair<std::string, std::vector<double>>>& rows) {
  StepVector vector(rows.front().second.size());
  for (const auto& [value, values] : rows) {
    std::copy(values.begin(), values.end(), vector.Append(Labels({{"a", value}})).begin());
  }
  return vector;
}

TEST(StepVectorTest, AbsentIsNoNumberThatArithmeticMakes) {
  EXPECT_TRUE(IsAbsent(Absent()));
  EXPECT_TRUE(IsAbsent(StaleMarker()));
  EXPECT_FALSE(IsAbsent(std::nan("")));
  volatile double absent = Absent();
  EXPECT_FALSE(IsAbsent(absent + 1));
}

TEST(StepVectorTest, JoinsRowsThatNeverMeet) {
  const StepVector joined =
      JoinEqualRows(Of({{"x", {1, Absent()}}, {"y", {5, 6}}, {"x", {Absent(), 2}}}), false);
  ASSERT_EQ(joined.rows(), 2U);
  EXPECT_EQ(joined.Row(0)[0], 1);
  EXPECT_EQ(joined.Row(0)[1], 2);
  EXPECT_THROW(JoinEqualRows(Of({{"x", {1}}, {"x", {2}}}), false), Error);
  EXPECT_THROW(JoinEqualRows(Of({{"x", {1, Absent()}}, {"x", {Absent(), 2}}}), true), Error);
}

TEST(StepVectorTest, TakesOutEmptyRows) {
  StepVector vector = Of({{"x", {Absent()}}, {"y", {1}}});
  EXPECT_EQ(WithoutEmptyRows(vector).rows(), 1U);
  vector.Append(Labels());
  vector.DropIfEmpty();
  EXPECT_EQ(vector.rows(), 2U);
}

}  // namespace
}  // namespace schedlens::promql
