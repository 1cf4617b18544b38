#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/ask.h"
#include "promql/evaluate.h"

namespace schedlens::promql {
namespace {

TEST(SeriesStoreTest, SortsByLabelsAndSplitsColumns) {
  const SeriesStore store(std::vector<Series>{
      Line({{"__name__", "m"}, {"le", "0.1"}}, {"5", "3", "stale", "4"}),
      Line({{"__name__", "m"}, {"le", "+Inf"}}, {"1"}),
  });
  ASSERT_EQ(store.series().size(), 2U);
  EXPECT_EQ(store.series()[0].labels.Get("le"), "+Inf");  // bounds sort as text
  const StoredSeries& series = store.series()[1];
  EXPECT_THAT(series.times, testing::ElementsAre(0, 10'000, 30'000));
  EXPECT_THAT(series.values, testing::ElementsAre(5, 3, 4));
  EXPECT_THAT(series.extras->drops, testing::ElementsAre(1));
  EXPECT_THAT(series.extras->stale, testing::ElementsAre(20'000));
  EXPECT_EQ(store.Extent(), (TimeRange{0, 30'000}));
  EXPECT_FALSE(SeriesStore(std::vector<Series>()).Extent().has_value());
}

TEST(SeriesStoreTest, MergesSeriesOfEqualLabels) {
  Series late = Line({{"__name__", "m"}}, {"_", "7", "8"});
  Series early = Line({{"__name__", "m"}}, {"1", "2"});
  const SeriesStore store(std::vector<Series>{late, early});
  ASSERT_EQ(store.series().size(), 1U);
  EXPECT_THAT(store.series()[0].values, testing::ElementsAre(1, 7, 8));
  const Labels name{{"__name__", "n"}};
  const NativeSample first{0, {1, 2, {}}}, second{10'000, {3, 4, {}}};
  const SeriesStore natives(
      std::vector<Series>{{name, {}, {first, second}}, {name, {}, {first, second}}});
  EXPECT_THAT(natives.series()[0].extras->histograms, testing::ElementsAre(first, second));
}

TEST(SeriesStoreTest, KeepsTimesThatNeighboursShareOnce) {
  const SeriesStore store(std::vector<Series>{
      Line({{"__name__", "a"}}, {"1", "2", "3"}),
      Line({{"__name__", "b"}}, {"4", "5", "6"}),
      Line({{"__name__", "c"}}, {"7", "_", "8"}),
  });
  EXPECT_EQ(store.series()[0].times.data(), store.series()[1].times.data());
  EXPECT_THAT(store.series()[1].values, testing::ElementsAre(4, 5, 6));
  EXPECT_THAT(store.series()[2].times, testing::ElementsAre(0, 20'000));
}

TEST(SeriesStoreTest, SelectsThroughTheIndex) {
  std::vector<Series> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(Line({{"__name__", i % 2 ? "odd" : "even"}, {"i", std::to_string(i)}}, {"1"}));
  }
  const SeriesStore store(std::move(all));
  EXPECT_EQ(store.Select({{MatchOp::kEqual, "__name__", "odd"}}).size(), 50U);
  EXPECT_EQ(
      store.Select({{MatchOp::kEqual, "__name__", "odd"}, {MatchOp::kEqual, "i", "7"}}).size(), 1U);
  EXPECT_EQ(store.Select({{MatchOp::kEqual, "i", "1000"}}).size(), 0U);
  EXPECT_EQ(store.Select({{MatchOp::kEqual, "nothing", "x"}}).size(), 0U);
  EXPECT_EQ(store.Select({{MatchOp::kRegex, "i", "1."}}).size(), 10U);
  EXPECT_EQ(store.Select({{MatchOp::kNotRegex, "i", "1.|2."}}).size(), 80U);
}

TEST(SeriesStoreTest, SelectsByNameInLabelOrder) {
  const SeriesStore store(std::vector<Series>{
      Line({{"__name__", "b"}, {"Zone", "1"}}, {"1"}),  // before __name__ in label order
      Line({{"__name__", "b"}, {"job", "x"}}, {"2"}),
      Line({{"__name__", "a"}, {"job", "x"}}, {"3"}),
      Line({{"job", "x"}}, {"4"}),
  });
  const auto values = [&](const std::vector<Matcher>& matchers) {
    std::vector<double> all;
    for (const StoredSeries* series : store.Select(matchers)) all.push_back(series->values[0]);
    return all;
  };
  using Values = std::vector<double>;
  EXPECT_EQ(values({{MatchOp::kRegex, "__name__", "a|b"}}), (Values{1, 3, 2}));
  EXPECT_EQ(values({{MatchOp::kNotEqual, "__name__", "a"}}), (Values{1, 2, 4}));
  EXPECT_EQ(values({{MatchOp::kEqual, "__name__", ""}}), (Values{4}));
  EXPECT_EQ(values({{MatchOp::kEqual, "__name__", "a"}, {MatchOp::kEqual, "__name__", "b"}}),
            (Values{}));
  EXPECT_EQ(values({{MatchOp::kEqual, "job", "x"}}), (Values{3, 2, 4}));
}

}  // namespace
}  // namespace schedlens::promql
