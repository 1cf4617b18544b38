#include "analysis/causes/bind_regime.h"

#include <gtest/gtest.h>

#include "analysis/incident.h"

namespace schedlens {
namespace {

BindDispersion ScrapeSpacing(double dispersion, double arrivals, double from = 50, double to = 60) {
  BindDispersion r;
  r.cells = 30;
  r.dispersion = dispersion;
  r.arrival_dispersion = arrivals;
  r.backlog_start = from;
  r.backlog_end = to;
  return r;
}

BindDispersion Few(std::size_t cells) {
  BindDispersion r = ScrapeSpacing(1.1, 1.0);
  r.cells = cells;
  return r;
}

BindDispersion ByChance() {
  BindDispersion r = ScrapeSpacing(0.1, 1.0);
  r.even_by_chance = true;
  return r;
}

TEST(JudgeRhythmTest, EvenBindsBehindUnevenArrivalsAreThrottled) {
  const struct {
    const char* name;
    std::optional<BindDispersion> dispersion;
    Throttling verdict;
  } cases[] = {
      {"no backlog", std::nullopt, Throttling::kNo},
      {"a slow server leaves binds as uneven as arrivals", ScrapeSpacing(1.1, 1.0),
       Throttling::kNo},
      {"a token bucket makes them even", ScrapeSpacing(0.01, 1.0), Throttling::kYes},
      {"even arrivals, steady backlog: cannot tell", ScrapeSpacing(0.01, 0.015),
       Throttling::kCannotTell},
      {"too few intervals for a dispersion", Few(5), Throttling::kCannotTell},
      {"even, as few intervals are by chance", ByChance(), Throttling::kCannotTell},
      {"even arrivals, growing backlog", ScrapeSpacing(0.01, 0.015, 20, 300), Throttling::kYes},
  };
  for (const auto& c : cases) EXPECT_EQ(JudgeDispersion(c.dispersion), c.verdict) << c.name;
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
  const Histograms histograms = GroupAll(facts);
  const WindowIncreases cells = CutWindow(histograms, facts.targets, {0, 100'000});
  const auto dispersion =
      MeasureBindDispersion(histograms, facts.targets, cells, BreakDownTime(cells));
  ASSERT_TRUE(dispersion);
  EXPECT_EQ(dispersion->cells, 19u);
  EXPECT_DOUBLE_EQ(dispersion->rate, 16);
  EXPECT_DOUBLE_EQ(dispersion->arrival_rate, 20);
  EXPECT_EQ(dispersion->dispersion, 0);
  EXPECT_EQ(dispersion->backlog_most, 400);
}

/// Binds of two seconds, `counts` of them in each scrape interval of 30 s.
std::optional<BindDispersion> SpacingOf(const std::vector<int>& counts) {
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
  const Histograms histograms = GroupAll(facts);
  const WindowIncreases cells = CutWindow(histograms, facts.targets, {0, at});
  return MeasureBindDispersion(histograms, facts.targets, cells, BreakDownTime(cells));
}

TEST(MeasureBindRhythmTest, FewIntervalsProveNothing) {
  const auto few = SpacingOf({600, 600, 600, 600});
  ASSERT_TRUE(few);
  EXPECT_LT(few->cells, kLeastDispersion);
  EXPECT_EQ(JudgeDispersion(few), Throttling::kCannotTell);
}

TEST(MeasureBindRhythmTest, EvennessThatChanceMakesIsNoPacing) {
  const auto chance = SpacingOf({600, 612, 590, 607, 588, 611, 597, 620, 606, 595});
  ASSERT_TRUE(chance);
  EXPECT_TRUE(chance->even_by_chance);
  const auto paced = SpacingOf({1500, 1499, 1501, 1500, 1500, 1501, 1499, 1500, 1500, 1501, 1499});
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
      SplitByLimiter(facts, BreakDownTime(CutWindow(GroupAll(facts), facts.targets, {0, 5000})));
  ASSERT_TRUE(split);
  EXPECT_NEAR(split->low, 14, 1e-9);  // the events' requests can hold at most 2 s of the waiting
  EXPECT_NEAR(split->high, 16, 1e-9);
  EXPECT_NEAR(split->mean_wait, 0.8, 1e-9);
}

}  // namespace
}  // namespace schedlens
