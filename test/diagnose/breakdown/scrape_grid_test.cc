#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/recorder.h"

namespace schedlens {
namespace {

using test::Recorder;
using ::testing::ElementsAre;

TEST(GridTest, PopulationsLieOnTheSameIntervals) {
  Recorder r;
  r.Run({});
  r.Scrape(0);
  r.Run({});
  r.Scrape(5000);
  r.Run({.result = "unschedulable"});
  r.Run({});
  r.Scrape(10'000);
  const Facts facts = FactsOf(r);
  const WindowIncreases cells = CutWindow(GroupAll(facts), facts.targets, {0, 10'000});
  const auto grids = MakeGrids(facts.targets, cells);
  ASSERT_EQ(grids.size(), 1u);
  EXPECT_THAT(grids[0].edges, ElementsAre(0, 5000, 10'000));
  EXPECT_THAT(OnGrids(grids, Select(cells.attempt, "", ""))[0].counts, ElementsAre(1, 2));
  EXPECT_THAT(OnGrids(grids, Select(cells.attempt, "result", "unschedulable"))[0].counts,
              ElementsAre(0, 1));
}

TEST(GridTest, AnEdgeThatAChildSkippedIsLeftOut) {
  Recorder r;
  r.Run({});
  r.Scrape(0);
  r.Run({});
  r.Scrape(5000);
  r.Run({});
  r.Scrape(10'000);
  auto series = r.series();
  for (Series& s : series) {  // the algorithm's scrape at 5 s was lost
    if (s.labels.Get("__name__").find("algorithm") != std::string_view::npos) {
      std::erase_if(s.samples, [](const Sample& sample) { return sample.t == 5000; });
    }
  }
  test::SelectorSource source(series);
  const Facts facts = Collect(source, QuerySet::Embedded(), "", {-1, 10'000});
  const WindowIncreases cells = CutWindow(GroupAll(facts), facts.targets, {0, 10'000});
  const auto grids = MakeGrids(facts.targets, cells);
  EXPECT_THAT(grids.at(0).edges, ElementsAre(0, 10'000));
  EXPECT_THAT(OnGrids(grids, Select(cells.attempt, "", ""))[0].counts, ElementsAre(2));
}

}  // namespace
}  // namespace schedlens
