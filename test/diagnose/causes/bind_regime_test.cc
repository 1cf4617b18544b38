#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "diagnose/causes/window_evidence.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

/// Thirty intervals with a backlog, as uneven as chance makes binds and arrivals.
BindDispersion Free() {
  BindDispersion d;
  d.cells = d.intervals = 30;
  d.dispersion = d.arrivals.dispersion = 1;
  d.evenness = d.arrivals.evenness = 0.5;
  d.backlog_start = 50;
  d.backlog_end = d.backlog_most = 60;
  return d;
}

BindDispersion Even(double arrival_evenness, double arrival_dispersion, double backlog_end = 60) {
  BindDispersion d = Free();
  d.dispersion = 0.01;
  d.evenness = 1e-9;
  d.arrivals.evenness = arrival_evenness;
  d.arrivals.dispersion = arrival_dispersion;
  d.backlog_end = backlog_end;
  return d;
}

/// No backlog lasts for two intervals: only the load can tell.
BindDispersion Following(double correlation, std::size_t intervals, double backlog_most = 60) {
  BindDispersion d;
  d.intervals = intervals;
  d.follows_load = correlation;
  d.backlog_most = backlog_most;
  return d;
}

TEST(JudgeDispersionTest, EvenBindsBehindUnevenArrivalsAreThrottled) {
  BindDispersion between = Free();
  between.evenness = 0.05;
  between.follows_load = 0.9;
  BindDispersion perfect = Even(1e-9, 0);
  perfect.dispersion = 0;
  BindDispersion free = Free();
  free.follows_load = 0.9;
  const struct {
    const char* name;
    std::optional<BindDispersion> dispersion;
    Throttling verdict;
  } cases[] = {
      {"no binds", std::nullopt, Throttling::kNo},
      {"a slow server leaves binds as uneven as arrivals", Free(), Throttling::kNo},
      {"whatever their load is", free, Throttling::kNo},
      {"a token bucket makes them even", Even(0.5, 1), Throttling::kYes},
      {"even arrivals, steady backlog", Even(1e-9, 0.015), Throttling::kCannotTell},
      {"even arrivals, but far less so", Even(1e-9, 0.05), Throttling::kYes},
      {"both to the very last one", perfect, Throttling::kCannotTell},
      {"even arrivals, growing backlog", Even(1e-9, 0.015, 300), Throttling::kYes},
      {"somewhat even: the load has to tell", between, Throttling::kYes},
  };
  for (const auto& c : cases) EXPECT_EQ(JudgeDispersion(c.dispersion), c.verdict) << c.name;
}

TEST(JudgeDispersionTest, BindsThatAreSlowerWhereThereAreMoreAreThrottled) {
  const struct {
    const char* name;
    BindDispersion dispersion;
    Throttling verdict;
  } cases[] = {
      {"plainly", Following(0.9, 30), Throttling::kYes},
      {"one half over many intervals", Following(0.5, 30), Throttling::kYes},
      {"one half, as chance makes it", Following(0.5, 12), Throttling::kCannotTell},
      {"somewhat", Following(0.4, 1000), Throttling::kCannotTell},
      {"hardly", Following(0.29, 1000), Throttling::kNo},
      {"the more, the quicker", Following(-0.9, 30), Throttling::kNo},
      {"a queue too short to be about a limiter", Following(0.9, 30, 9), Throttling::kNo},
      {"too few intervals for anything", Following(1, 3), Throttling::kCannotTell},
  };
  for (const auto& c : cases) EXPECT_EQ(JudgeDispersion(c.dispersion), c.verdict) << c.name;
}

TEST(LooksThrottledTest, IsWhatIsMorePlausibleOfTwoThatCannotBeToldApart) {
  EXPECT_TRUE(LooksThrottled(Following(0.5, 12)));
  EXPECT_FALSE(LooksThrottled(Following(0.4, 12)));
  EXPECT_TRUE(LooksThrottled(Even(1e-9, 0.015)));
  EXPECT_FALSE(LooksThrottled(Free()));
}

/// `arrivals` pods find a node in each minute, thirty binds at most end in it; each takes
/// `seconds(interval, load)`, the load being the larger of this minute's and the one's before.
std::optional<BindDispersion> UnderLoad(const std::vector<int>& arrivals,
                                        const std::function<double(int, int)>& seconds) {
  test::Recorder r;
  r.Run({});
  r.Scrape(0);
  int running = 0, load_before = 0, interval = 0;
  TimeMs at = 0;
  for (const int arriving : arrivals) {
    const int load = running + arriving;
    for (int i = 0; i < arriving; ++i) {
      r.Observe("scheduler_scheduling_algorithm_duration_seconds", {}, 0.001);
      r.Point("Reserve", 1e-6);
    }
    const int leaving = std::min(load, 30);
    for (int i = 0; i < leaving; ++i) {
      r.Point("Bind", seconds(interval, std::max(load, load_before)));
      r.Point("PostBind", 1e-6);
      r.Observe("scheduler_e2e_scheduling_duration_seconds", {{"result", "scheduled"}}, 1.0);
    }
    running = load - leaving;
    load_before = load;
    ++interval;
    r.Scrape(at += 60'000);
  }
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  const WindowIncreases cells = CutWindow(histograms, facts.targets, {0, at});
  return MeasureBindDispersion(histograms, facts.targets, cells, BreakDownTime(cells));
}

/// Bursts that are over before the next scrape.
const std::vector<int> kBursts = {10, 40, 5, 20, 38, 0, 25, 36, 10, 8, 42, 3, 15, 39, 2, 28};

TEST(MeasureBindDispersionTest, BindsThatWaitForTheirTurnFollowTheLoad) {
  const auto throttled = UnderLoad(kBursts, [](int, int load) { return 0.05 + load / 20.0; });
  ASSERT_TRUE(throttled);
  EXPECT_EQ(throttled->cells, 0U) << "no backlog lasts";
  EXPECT_EQ(throttled->intervals, kBursts.size());
  EXPECT_EQ(throttled->backlog_most, 12);
  EXPECT_GT(throttled->follows_load, 0.99);
  EXPECT_EQ(JudgeDispersion(throttled), Throttling::kYes);
}

TEST(MeasureBindDispersionTest, ASlowServerIsAsSlowForFewAsForMany) {
  const auto slow =
      UnderLoad(kBursts, [](int interval, int) { return 2 + 0.01 * (interval * 7 % 5); });
  ASSERT_TRUE(slow);
  EXPECT_LT(slow->follows_load, 0.3);
  EXPECT_EQ(JudgeDispersion(slow), Throttling::kNo);
}

TEST(MeasureBindDispersionTest, CountsBindsAndArrivalsWhileABacklogStands) {
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
  EXPECT_DOUBLE_EQ(dispersion->arrivals.rate, 20);
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

TEST(MeasureBindDispersionTest, FewIntervalsThatAreAsEvenAsTheirArrivalsProveNothing) {
  const auto few = SpacingOf({600, 600, 600, 600});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->cells, 4U);
  EXPECT_LT(few->evenness, 1e-3) << "no chance";
  EXPECT_EQ(JudgeDispersion(few), Throttling::kCannotTell);
}

TEST(MeasureBindDispersionTest, RandomBindsAreSeldomThatEven) {
  std::mt19937_64 random(20);
  std::poisson_distribution<int> binds(30);
  int even = 0;
  constexpr int kTrials = 60;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<int> counts(12);
    for (int& count : counts) count = binds(random);
    const auto chance = SpacingOf(counts);
    ASSERT_TRUE(chance);
    if (chance->evenness <= 0.01) ++even;
  }
  EXPECT_LE(even, 3);
  const auto paced = SpacingOf({1500, 1499, 1501, 1500, 1500, 1501, 1499, 1500, 1500, 1501, 1499});
  ASSERT_TRUE(paced);
  EXPECT_LT(paced->evenness, 1e-9);
}

/// 10 binds of 2 s; POSTs (binds and events) waited so many seconds, and took 6 s more.
std::optional<LimiterSplit> SplitOf(double waited) {
  test::Recorder r;
  r.Run({});
  r.Scrape(0);
  const std::vector<Labels::Pair> posts = {{"verb", "POST"}, {"host", "h"}};
  for (int i = 0; i < 10; ++i) r.Run({.bind = 2});
  r.Add("rest_client_request_duration_seconds_sum", posts, waited + 6);
  r.Add("rest_client_request_duration_seconds_count", posts, 20);
  r.Add("rest_client_rate_limiter_duration_seconds_sum", posts, waited);
  r.Add("rest_client_rate_limiter_duration_seconds_count", posts, 20);
  r.Scrape(5000);
  const Facts facts = FactsOf(r);
  return SplitByLimiter(facts, BreakDownTime(CutWindow(GroupAll(facts), facts.targets, {0, 5000})));
}

TEST(SplitByLimiterTest, BoundsTheLimitersPartOfBind) {
  const auto split = SplitOf(16);
  ASSERT_TRUE(split);
  EXPECT_NEAR(split->low, 14, 1e-9);  // the events' requests can hold at most 2 s of the waiting
  EXPECT_NEAR(split->high, 16, 1e-9);
  EXPECT_NEAR(split->mean_wait, 0.8, 1e-9);
}

TEST(SplitByLimiterTest, WaitsFarLongerThanABindAreNotTheBinds) {
  EXPECT_TRUE(SplitOf(180));
  EXPECT_FALSE(SplitOf(220)) << "11 s a POST, 2 s a Bind";
}

}  // namespace
}  // namespace schedlens
