#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/episodes/column_counts.h"
#include "diagnose/episodes/played_counts.h"

namespace schedlens {
namespace {

using test::Play;
using ::testing::ElementsAre;

/// Pods of two kinds in each column, and no more.
ColumnCounts OfTwoKinds(const std::vector<std::pair<double, double>>& columns) {
  ColumnCounts c = test::EmptyColumns(columns.size());
  c.nobody_here.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    c.pods.Set(i, 3, columns[i].first);
    c.pods.Set(i, 12, columns[i].second);
  }
  return c;
}

TEST(PartitionColumnsTest, CutsWhereSharesChange) {
  constexpr double kHuge = 9007199254740991;
  const std::pair<double, double> quick{100, 0}, slow{60, 40}, none{0, 0}, huge{kHuge, 0};
  const struct {
    const char* name;
    std::vector<std::pair<double, double>> columns;
    std::vector<std::size_t> edges;
  } cases[] = {
      {"no column", {}, {0}},
      {"one column", {slow}, {0, 1}},
      {"nothing counted", {none, none, none}, {0, 3}},
      {"one state", {slow, slow, slow, slow}, {0, 4}},
      {"two states", {quick, quick, quick, slow, slow, slow}, {0, 3, 6}},
      {"there and back", {quick, quick, slow, slow, quick, quick}, {0, 2, 4, 6}},
      {"one column alone", {quick, quick, slow, quick, quick}, {0, 2, 3, 5}},
      {"all that a counter can hold", {huge, huge, huge}, {0, 3}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(PartitionColumns(OfTwoKinds(c.columns)), c.edges) << c.name;
  }
}

TEST(PartitionColumnsTest, WhereNobodyAnswersIsASegmentOfItsOwn) {
  ColumnCounts c = OfTwoKinds(std::vector<std::pair<double, double>>(6, {50, 50}));
  c.nobody_here[2] = c.nobody_here[3] = true;
  EXPECT_THAT(PartitionColumns(c), ElementsAre(0, 2, 4, 6));
}

TEST(PartitionColumnsTest, ALongRangeIsCutAsFinelyAsAShortOne) {
  const ColumnCounts day = Play({{.columns = 1000, .rate = 1},
                                 {.columns = 9, .slow = 0.5, .rate = 1},
                                 {.columns = 991, .rate = 1}},
                                7);
  const std::vector<std::size_t> edges = PartitionColumns(day);
  ASSERT_EQ(edges.size(), 4U);
  EXPECT_NEAR(static_cast<double>(edges[1]), 1000, 1);
  EXPECT_NEAR(static_cast<double>(edges[2]), 1009, 1);
}

TEST(DispersionOfTest, ChanceAloneHasNone) {
  EXPECT_LT(DispersionOf(Play({{.columns = 60}}, 5).pods), 1.3);
  EXPECT_EQ(DispersionOf(CountTable()), 1);
  EXPECT_EQ(DispersionOf(OfTwoKinds({{50, 50}, {90, 10}, {50, 50}, {90, 10}}).pods), 1)
      << "three pairs tell nothing";
}

TEST(DispersionOfTest, IsHowMuchMoreThanChanceNeighboursDiffer) {
  // 100 and 100 beside 140 and 60: a chi-square of 16.667 with one degree of freedom.
  std::vector<std::pair<double, double>> wide;
  for (int i = 0; i < 10; ++i)
    wide.push_back(i % 2 == 0 ? std::pair(100, 100) : std::pair(140, 60));
  EXPECT_NEAR(DispersionOf(OfTwoKinds(wide).pods), 16.667 / 0.9, 0.01);
}

TEST(DispersionOfTest, CountsAsFarApartAsCountersGoStayNumbers) {
  std::vector<std::pair<double, double>> far;
  for (int i = 0; i < 8; ++i) {
    far.push_back(i % 2 == 0 ? std::pair(9007199254740991.0, 0.0) : std::pair(0.0, 20.0));
  }
  const double dispersion = DispersionOf(OfTwoKinds(far).pods);
  EXPECT_TRUE(std::isfinite(dispersion));
  EXPECT_GT(dispersion, 1);
}

}  // namespace
}  // namespace schedlens
