#include <gtest/gtest.h>

#include "source/clusters/by_label.h"

namespace schedlens {
namespace {

Series Named(const std::string& name, const std::vector<Sample>& samples) {
  return {.labels = Labels({{"__name__", name}}), .samples = samples, .histograms = {}};
}

TEST(LabelSliceTest, AnswersExpressionsAsTheServerDidAndTheRestFromSamples) {
  const Series asked{.labels = Labels({{"cluster", "a"}}),
                     .samples = {{1000, 7}, {2000, 8}, {3000, 9}},
                     .histograms = {}};
  const auto source = NewLabelSlice({Named("x", {{1000, 1}, {3000, 3}})}, {}, {{"f(x)", {asked}}},
                                    {.start = 1000, .step_ms = 1000});
  const Answer ranged = source->Ask({"f(x)", 1500, 3000, 17});
  ASSERT_EQ(ranged.series.size(), 1u);
  EXPECT_EQ(ranged.kind, ValueKind::kMatrix);
  EXPECT_EQ(ranged.series[0].samples, (std::vector<Sample>{{2000, 8}, {3000, 9}}));
  const Answer instant = source->Ask({"f(x)", 2000, 2000, 0});
  ASSERT_EQ(instant.series.size(), 1u);
  EXPECT_EQ(instant.kind, ValueKind::kVector);
  EXPECT_EQ(instant.series[0].samples, (std::vector<Sample>{{2000, 8}}));
  EXPECT_TRUE(source->Ask({"f(x)", 9000, 9000, 0}).series.empty());
  EXPECT_EQ(source->Ask({"x * 2", 3000, 3000, 0}).series[0].samples[0].v, 6);
}

TEST(LabelSliceTest, BetweenTheAskedTimesItEvaluatesItself) {
  const auto source =
      NewLabelSlice({Named("x", {{1000, 4}})}, {}, {{"x + 1", {Named("", {{1000, 99}})}}},
                    {.start = 1000, .step_ms = 1000});
  EXPECT_EQ(source->Ask({"x + 1", 1000, 1000, 0}).series[0].samples[0].v, 99);
  EXPECT_EQ(source->Ask({"x + 1", 1001, 1001, 0}).series[0].samples[0].v, 5);
}

}  // namespace
}  // namespace schedlens
