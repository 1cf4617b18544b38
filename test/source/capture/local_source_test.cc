#include <gtest/gtest.h>

#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

TEST(LocalSourceTest, AnswersFromItsSamplesAndKnowsItsExtent) {
  Series series;
  series.labels = Labels({{"__name__", "up"}, {"job", "kube-scheduler"}});
  series.samples = {{1'000, 1}, {61'000, 0}};
  SourceInfo info;
  info.kind = "capture";
  const auto source = NewLocalSource({series}, info);
  EXPECT_EQ(source->Describe().kind, "capture");
  EXPECT_EQ(source->Describe().extent, (TimeRange{1'000, 61'000}));

  Answer answer = source->Ask({"up{job=~\"kube-.*\"}", 61'000, 61'000, 0});
  ASSERT_EQ(answer.series.size(), 1U);
  EXPECT_EQ(answer.series[0].labels, series.labels);
  EXPECT_EQ(answer.series[0].samples, (std::vector<Sample>{{61'000, 0}}));

  answer = source->Ask({"up[2m]", 61'000, 61'000, 0});
  EXPECT_EQ(answer.kind, ValueKind::kMatrix);
  EXPECT_EQ(answer.series[0].samples, series.samples);
  EXPECT_TRUE(source->Ask({"down", 61'000, 61'000, 0}).series.empty());
}

TEST(LocalSourceTest, UsesTheArithmeticItWasToldTo) {
  Series series;
  series.labels = Labels({{"__name__", "x_total"}});
  series.samples = {{0, 1}, {60'000, 2}};
  SourceInfo info;
  info.semantics = ParseSemantics("2.42");
  const Query query{"rate(x_total[1m])", 60'000, 60'000, 0};
  EXPECT_EQ(NewLocalSource({series}, info)->Ask(query).series.size(), 1U);
  info.semantics = ParseSemantics("3.0");  // windows are left-open: one sample is no rate
  EXPECT_TRUE(NewLocalSource({series}, info)->Ask(query).series.empty());
}

}  // namespace
}  // namespace schedlens
