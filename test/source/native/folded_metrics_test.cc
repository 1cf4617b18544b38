#include <gtest/gtest.h>

#include "promql/parser.h"
#include "source/capture/capture_source.h"
#include "source/native/unfolding_source.h"

namespace schedlens {
namespace {

constexpr TimeMs kMinute = 60 * 1000;

Series Native(const char* name, const char* job, TimeMs from, TimeMs to, double bound) {
  Series series{Labels{{kMetricName, name}, {"job", job}}, {}, {}};
  for (TimeMs t = from; t <= to; t += kMinute) {
    series.histograms.push_back({t, {2, 1, {{0, bound, 2, 0}}}});
  }
  return series;
}

Series Count(const char* name, const char* job, TimeMs from, TimeMs to) {
  Series series{Labels{{kMetricName, name}, {"job", job}}, {}, {}};
  for (TimeMs t = from; t <= to; t += kMinute) series.samples.push_back({t, 2});
  return series;
}

std::vector<std::string> Found(std::vector<Series> series) {
  const auto server = NewLocalSource(std::move(series), {});
  FoldedMetrics metrics;
  metrics.Find(*server, {"x(_bucket|_sum|_count)?"}, {0, 60 * kMinute});
  return metrics.MeantBy(*promql::Parse("x_count")->As<promql::Selector>());
}

TEST(FoldedMetrics, TellsWhoIsThereInNativeFormAlone) {
  const TimeMs hour = 60 * kMinute;
  const std::vector<std::string> folded = {"x"};
  EXPECT_EQ(Found({Native("x", "a", 0, hour, 0.3)}), folded);
  EXPECT_TRUE(Found({Count("x_count", "a", 0, hour)}).empty());
  EXPECT_TRUE(Found({Native("x", "a", 0, hour, 0.3), Count("x_count", "a", 0, hour)}).empty());
  // One job was converted, the other not.
  EXPECT_EQ(Found({Native("x", "a", 0, hour, 0.3), Count("x_count", "b", 0, hour)}), folded);
  // Converted half-way.
  EXPECT_EQ(Found({Native("x", "a", hour / 2, hour, 0.3), Count("x_count", "a", 0, hour / 2)}),
            folded);
  // Gone ten minutes before the end.
  EXPECT_EQ(Found({Native("x", "a", 0, hour - 10 * kMinute, 0.3)}), folded);
}

TEST(FoldedMetrics, NativeAloneIsWhatHasNoBucketsAnyMore) {
  const TimeMs hour = 60 * kMinute;
  const auto alone = [](const std::vector<Series>& series) {
    FoldedMetrics metrics;
    metrics.Find(*NewLocalSource(series, {}), {"x(_bucket|_sum|_count)?"}, {0, 60 * kMinute});
    EXPECT_TRUE(metrics.any());
    return !metrics.native_only().empty();
  };
  const Series native = Native("x", "a", 0, hour, 0.3);
  EXPECT_TRUE(alone({native}));
  EXPECT_TRUE(alone({native, Count("x_count", "b", 0, hour)}));
  EXPECT_FALSE(alone({native, Count("x_bucket", "b", 0, hour)}));
  EXPECT_TRUE(alone({native, Count("x_bucket", "b", 0, hour / 2)}));
}

TEST(FoldedMetrics, ExponentialBucketsAreBoundsToo) {
  const std::vector<Series> all = {Native("x", "a", 0, 60 * kMinute, 0.3)};
  Series exponential{Labels{{kMetricName, "x"}, {"job", "a"}}, {}, {}};
  exponential.histograms.push_back({60 * kMinute, {3, 1, {{1, 2, 2, 0}, {2, 4, 1, 0}}}});
  const auto found = [](const Series& series) {
    FoldedMetrics metrics;
    const auto server = NewLocalSource({series}, {});
    metrics.Find(*server, {"x(_bucket|_sum|_count)?"}, {0, 60 * kMinute});
    EXPECT_TRUE(metrics.any());
    EXPECT_EQ(metrics.native_only(), std::set<std::string>{"x"});
    return std::pair(metrics.IsExponential(series), metrics.bounds().at("x"));
  };
  EXPECT_EQ(found(exponential), (std::pair(true, std::set<double>{1, 2, 4})));
  EXPECT_EQ(found(all.front()), (std::pair(false, std::set<double>{0.3})));
}

TEST(FoldedMetrics, OnlyTheClassicNamesAreMeant) {
  const auto server = NewLocalSource({Native("x", "a", 0, kMinute, 0.3)}, {});
  FoldedMetrics metrics;
  metrics.Find(*server, {"x(_bucket|_sum|_count)?"}, {0, kMinute});
  EXPECT_TRUE(metrics.MeantBy(*promql::Parse("x")->As<promql::Selector>()).empty());
  EXPECT_TRUE(metrics.MeantBy(*promql::Parse("y_count")->As<promql::Selector>()).empty());
  EXPECT_EQ(metrics.bounds().at("x"), std::set<double>{0.3});
}

}  // namespace
}  // namespace schedlens
