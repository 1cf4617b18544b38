#include "promql/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "promql/ask.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const Asker& AnnotationsData() {
  static const Asker asker({
      Line({{"__name__", "h_bucket"}, {"le", "0.5"}}, {"40", "40"}),
      Line({{"__name__", "h_bucket"}, {"le", "1"}}, {"30", "30"}),
      Line({{"__name__", "h_bucket"}, {"le", "+Inf"}}, {"35", "35"}),
      Line({{"__name__", "bad"}, {"le", "x"}}, {"1", "1"}),
  });
  return asker;
}

constexpr const char* kForced =
    "PromQL info: input to histogram_quantile needed to be fixed for monotonicity (see "
    "https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)";

TEST(AnnotationsTest, ForcedMonotonicityInTheWordsOfEachVersion) {
  const auto ask = [](const char* version) {
    return AnnotationsData().Full("histogram_quantile(0.5, h_bucket)", version, 0, 10'000, 10'000);
  };
  EXPECT_THAT(ask("2.47").warnings, IsEmpty());
  EXPECT_THAT(ask("2.48").warnings,
              ElementsAre("PromQL info: input to histogram_quantile needed to be fixed for "
                          "monotonicity (and may give inaccurate results) for metric name \"\" "
                          "(1:25)"));
  EXPECT_THAT(ask("2.53").warnings,
              ElementsAre(std::string(kForced) + " for metric name \"\" (1:25)"));
  EXPECT_THAT(ask("2.54").warnings, IsEmpty());
  EXPECT_THAT(ask("2.54").infos,
              ElementsAre(std::string(kForced) + " for metric name \"\" (1:25)"));
  // Two steps: the first result of the group took the name away.
  EXPECT_THAT(ask("3.6").infos,
              ElementsAre(std::string(kForced) + " for metric name \"\" (1:25)",
                          std::string(kForced) + " for metric name \"h_bucket\" (1:25)"));
  EXPECT_THAT(ask("3.1").infos, ElementsAre(std::string(kForced) + " for metric name \"\" (1:25)"));
  EXPECT_THAT(ask("3.9").infos, ElementsAre(std::string(kForced) + " (1:25)"));
  EXPECT_THAT(ask("3.10").infos,
              ElementsAre(std::string(kForced) +
                          ", from buckets 1 to +Inf, with a max diff of 10, over 2 samples from "
                          "1970-01-01T00:00:00Z to 1970-01-01T00:00:10Z (1:25)"));
}

TEST(AnnotationsTest, QuantileAndBucketLabelAndCounterName) {
  EXPECT_THAT(AnnotationsData().Full("histogram_quantile(1.5, bad)", "3.13", 0, 0, 0).warnings,
              ElementsAre("PromQL warning: bucket label \"le\" is missing or has a malformed value "
                          "of \"x\" for metric name \"bad\" (1:25)",
                          "PromQL warning: quantile value should be between 0 and 1, got 1.5 "
                          "(1:20)"));
  EXPECT_THAT(AnnotationsData().Full("rate(bad[1m])", "3.13", 10'000, 10'000, 0).infos,
              ElementsAre("PromQL info: metric might not be a counter, name does not end in "
                          "_total/_sum/_count/_bucket: \"bad\" (1:6)"));
  EXPECT_THAT(AnnotationsData().Full("rate(h_bucket[1m])", "3.13", 10'000, 10'000, 0).infos,
              IsEmpty());
  // One sample, no rate: 3.0 and newer have nothing to remark on.
  EXPECT_THAT(AnnotationsData().Full("rate(bad[1m])", "3.0", 0, 0, 0).infos, IsEmpty());
  EXPECT_THAT(AnnotationsData().Full("rate(bad[1m])", "2.55", 0, 0, 0).infos, SizeIs(1));
  // The same words from two places are one remark, at the place evaluated last.
  EXPECT_THAT(
      AnnotationsData().Full("rate(bad[1m]) + rate(bad[1m])", "3.5", 10'000, 10'000, 0).infos,
      ElementsAre("PromQL info: metric might not be a counter, name does not end in "
                  "_total/_sum/_count/_bucket: \"bad\" (1:22)"));
  EXPECT_THAT(AnnotationsData().Full("histogram_quantile(1.5, bad)", "2.42", 0, 0, 0).warnings,
              IsEmpty());
}

TEST(AnnotationsTest, FormatsAsGo) {
  const std::vector<std::pair<double, std::string>> table = {{0, "0"},
                                                             {1.5, "1.5"},
                                                             {1e6, "1e+06"},
                                                             {123456, "123456"},
                                                             {1234567, "1.234567e+06"},
                                                             {0.0001, "0.0001"},
                                                             {0.00001, "1e-05"},
                                                             {-0.5, "-0.5"}};
  for (const auto& [value, text] : table) EXPECT_EQ(FormatG(value), text);
  EXPECT_EQ(FormatG(0.0123456, 2), "0.012");
  EXPECT_EQ(FormatG(1234, 2), "1.2e+03");
}

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
