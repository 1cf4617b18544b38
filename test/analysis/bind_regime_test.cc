#include "analysis/bind_regime.h"

#include <gtest/gtest.h>

#include "analysis/incident.h"

namespace schedlens {
namespace {

BindRhythm Rhythm(double dispersion, double arrivals, double from = 50, double to = 60) {
  BindRhythm r;
  r.cells = 30;
  r.dispersion = dispersion;
  r.arrival_dispersion = arrivals;
  r.backlog_start = from;
  r.backlog_end = to;
  return r;
}

BindRhythm Few(std::size_t cells) {
  BindRhythm r = Rhythm(1.1, 1.0);
  r.cells = cells;
  return r;
}

BindRhythm ByChance() {
  BindRhythm r = Rhythm(0.1, 1.0);
  r.even_by_chance = true;
  return r;
}

TEST(JudgeRhythmTest, EvenBindsBehindUnevenArrivalsAreThrottled) {
  const struct {
    const char* name;
    std::optional<BindRhythm> rhythm;
    Throttling verdict;
  } cases[] = {
      {"no backlog", std::nullopt, Throttling::kNo},
      {"a slow server leaves binds as uneven as arrivals", Rhythm(1.1, 1.0), Throttling::kNo},
      {"a token bucket makes them even", Rhythm(0.01, 1.0), Throttling::kYes},
      {"even arrivals, steady backlog: cannot tell", Rhythm(0.01, 0.015), Throttling::kCannotTell},
      {"too few intervals for a rhythm", Few(5), Throttling::kCannotTell},
      {"even, as few intervals are by chance", ByChance(), Throttling::kCannotTell},
      {"even arrivals, growing backlog", Rhythm(0.01, 0.015, 20, 300), Throttling::kYes},
  };
  for (const auto& c : cases) EXPECT_EQ(JudgeRhythm(c.rhythm), c.verdict) << c.name;
}

TEST(MeasureBindRhythmTest, CountsBindsAndArrivalsWhileABacklogStands) {
  // 100 attempts find a node each scrape, 80 of them are bound: the backlog grows by 20.
  test::Recorder r;
  r.Run({});
  r.Scrape(0);
  for (int s = 1; s <= 20; ++s) {
    for (int i = 0; i < 100; ++i) {
      r.Observe("scheduler_scheduling_algorithm_duration_seconds", {}, 0.001);
      r.Point("Reserve", 1e-6);
    }
    for (int i = 0; i < 80; ++i) {
      r.Point("Bind", 1.0);
      r.Point("PostBind", 1e-6);
      r.Observe("scheduler_e2e_scheduling_duration_seconds", {{"result", "scheduled"}}, 1.0);
    }
    r.Scrape(s * 5000);
  }
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts, nullptr);
  const WindowCells cells = CutWindow(histograms, facts, {0, 100'000});
  const auto rhythm = MeasureBindRhythm(histograms, facts, cells, MakeAccount(cells));
  ASSERT_TRUE(rhythm);
  EXPECT_EQ(rhythm->cells, 19u);
  EXPECT_DOUBLE_EQ(rhythm->rate, 16);
  EXPECT_DOUBLE_EQ(rhythm->arrival_rate, 20);
  EXPECT_EQ(rhythm->dispersion, 0);
  EXPECT_EQ(rhythm->backlog_most, 400);
}

/// Binds of two seconds, `counts` of them in each scrape interval of 30 s.
std::optional<BindRhythm> RhythmOf(const std::vector<int>& counts) {
  test::Recorder r;
  r.Run({});
  r.Scrape(0);
  for (int i = 0; i < 50; ++i) {  // the backlog that stands
    r.Observe("scheduler_scheduling_algorithm_duration_seconds", {}, 0.001);
    r.Point("Reserve", 1e-6);
  }
  r.Scrape(30'000);
  TimeMs at = 30'000;
  for (const int count : counts) {
    for (int i = 0; i < count; ++i) r.Run({.bind = 2});
    r.Scrape(at += 30'000);
  }
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts, nullptr);
  const WindowCells cells = CutWindow(histograms, facts, {0, at});
  return MeasureBindRhythm(histograms, facts, cells, MakeAccount(cells));
}

TEST(MeasureBindRhythmTest, FewIntervalsProveNothing) {
  const auto few = RhythmOf({600, 600, 600, 600});
  ASSERT_TRUE(few);
  EXPECT_LT(few->cells, kLeastRhythm);
  EXPECT_EQ(JudgeRhythm(few), Throttling::kCannotTell);
}

TEST(MeasureBindRhythmTest, EvennessThatChanceMakesIsNoPacing) {
  const auto chance = RhythmOf({600, 612, 590, 607, 588, 611, 597, 620, 606, 595});
  ASSERT_TRUE(chance);
  EXPECT_TRUE(chance->even_by_chance);
  const auto paced = RhythmOf({1500, 1499, 1501, 1500, 1500, 1501, 1499, 1500, 1500, 1501, 1499});
  ASSERT_TRUE(paced);
  EXPECT_FALSE(paced->even_by_chance);
}

TEST(SplitByLimiterTest, BoundsTheLimitersPartOfBind) {
  // 10 binds of 2 s; POSTs (binds and events) waited 16 s of their 22 s.
  test::Recorder r;
  r.Run({});
  r.Scrape(0);
  for (int i = 0; i < 10; ++i) r.Run({.bind = 2});
  r.Add("rest_client_request_duration_seconds_sum", {{"verb", "POST"}, {"host", "h"}}, 22);
  r.Add("rest_client_request_duration_seconds_count", {{"verb", "POST"}, {"host", "h"}}, 20);
  r.Add("rest_client_rate_limiter_duration_seconds_sum", {{"verb", "POST"}, {"host", "h"}}, 16);
  r.Add("rest_client_rate_limiter_duration_seconds_count", {{"verb", "POST"}, {"host", "h"}}, 20);
  r.Scrape(5000);
  const Facts facts = FactsOf(r);
  const auto split =
      SplitByLimiter(facts, MakeAccount(CutWindow(GroupAll(facts, nullptr), facts, {0, 5000})));
  ASSERT_TRUE(split);
  EXPECT_NEAR(split->low, 14, 1e-9);  // the events' requests can hold at most 2 s of the waiting
  EXPECT_NEAR(split->high, 16, 1e-9);
  EXPECT_NEAR(split->mean_wait, 0.8, 1e-9);
}

}  // namespace
}  // namespace schedlens
