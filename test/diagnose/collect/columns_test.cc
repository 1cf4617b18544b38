#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/collect/facts.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;

TEST(ColumnsTest, AreTheBusiestTargetsScrapesMerged) {
  test::Recorder r;
  for (TimeMs t = 0; t <= 50'000; t += 5000) {
    r.Run({});
    r.Scrape(t);
  }
  const Facts facts = FactsOf(r);
  const auto attempt = CellsOf(HistogramOf(facts, "attempt"), facts.targets, {0, 50'000});
  EXPECT_EQ(ColumnEdges(facts, attempt, {0, 50'000}, 100).size(), 11u);
  EXPECT_THAT(ColumnEdges(facts, attempt, {0, 50'000}, 3), ElementsAre(0, 20'000, 40'000, 50'000));
  EXPECT_TRUE(ColumnEdges({}, {}, {0, 1}, 3).empty());
}

TEST(ColumnsTest, ACellBelongsToTheColumnThatHoldsItsEnd) {
  const std::vector<TimeMs> edges = {0, 10, 20};
  EXPECT_EQ(ColumnOf(edges, 5), 0u);
  EXPECT_EQ(ColumnOf(edges, 10), 0u);
  EXPECT_EQ(ColumnOf(edges, 11), 1u);
  EXPECT_EQ(ColumnOf(edges, -5), 0u);
  EXPECT_EQ(ColumnOf(edges, 99), 1u);
}

}  // namespace
}  // namespace schedlens
