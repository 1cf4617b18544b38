#include "diagnose/episodes/column_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/episodes/played_counts.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

ColumnCounts Count(const test::Recorder& recorder) {
  const Facts facts = FactsOf(recorder);
  return CountColumns(facts, GroupAll(facts), ScrapedRange(facts));
}

/// Ten attempts before each scrape, of which one fails; one pod waits for each scrape that was.
test::Recorder Scraped(const std::vector<TimeMs>& scrapes) {
  test::Recorder r;
  r.Run(test::Quick(0));
  r.Scrape(0);
  double waiting = 0;
  for (const TimeMs t : scrapes) {
    for (int i = 0; i < 9; ++i) r.Run(test::Quick(i));
    r.Run({.result = "unschedulable"});
    r.Set("scheduler_pending_pods", {{"queue", "active"}}, ++waiting);
    r.Observe("scheduler_pod_scheduling_sli_duration_seconds", {{"attempts", "1"}}, 0.5);
    r.Scrape(t);
  }
  return r;
}

TEST(CountTableTest, WhatIsNoCountAddsNothing) {
  CountTable table(1, 2);
  for (const double bad : {std::nan(""), -1.0, 9007199254740994.0, HUGE_VAL}) table.Add(0, 0, bad);
  table.Add(0, 1, 2);
  EXPECT_THAT(table.Sum(0, 1), ElementsAre(0, 2));
  for (int i = 0; i < 4; ++i) table.Add(0, 0, 9007199254740990.0);
  EXPECT_EQ(table.Sum(0, 1)[0], 9007199254740992.0) << "no more than counters can hold";
}

TEST(CountColumnsTest, EachColumnHasWhatWasCountedBetweenItsScrapes) {
  const ColumnCounts c = Count(Scraped({5000, 10'000, 15'000}));
  EXPECT_THAT(c.edges, ElementsAre(0, 5000, 10'000, 15'000));
  EXPECT_EQ(c.period, 5);
  EXPECT_TRUE(c.has_pods);
  ASSERT_EQ(c.columns(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(c.results.Sum(i, i + 1), ElementsAre(9, 1, 0)) << i;
    EXPECT_THAT(c.waiting.Sum(i, i + 1), ElementsAre(static_cast<double>(i) + 1, 0, 0)) << i;
  }
  EXPECT_EQ(c.attempts.Total(), 27) << "scheduled ones alone";
  EXPECT_TRUE(std::isinf(c.attempt_bounds.back()));
  EXPECT_THAT(c.nobody_here, Each(false));
}

TEST(CountColumnsTest, ColumnsGoOnWhereScrapesAreMissing) {
  const ColumnCounts c = Count(Scraped({5000, 10'000, 25'000, 30'000}));
  EXPECT_THAT(c.edges, ElementsAre(0, 5000, 10'000, 15'000, 20'000, 25'000, 30'000));
  EXPECT_THAT(c.nobody_here, ElementsAre(false, false, true, true, false, false));
  EXPECT_EQ(c.results.Sum(2, 4)[0], 0);
  EXPECT_EQ(c.results.Sum(4, 5)[0], 9) << "what was counted over the gap is in its last column";
}

TEST(CountColumnsTest, NobodyIsThereWhileNobodyLeads) {
  test::Recorder r;
  r.Run(test::Quick(0));
  for (TimeMs t = 0; t <= 60'000; t += test::kScrape) {
    const bool leads = t <= 20'000 || t >= 40'000;
    r.Set("leader_election_master_status", {{"name", "kube-scheduler"}}, leads ? 1 : 0);
    if (leads) r.Run(test::Quick(1));
    r.Scrape(t);
  }
  const ColumnCounts c = Count(r);
  ASSERT_EQ(c.columns(), 12U);
  for (std::size_t i = 0; i < c.columns(); ++i) {
    EXPECT_EQ(c.nobody_here[i], c.edges[i + 1] > 20'000 && c.edges[i + 1] < 40'000) << i;
  }
}

TEST(CountColumnsTest, ColumnsGoOnWithWhoComesAfter) {
  // Two pods of a scheduler, one after the other; the second one was scraped less.
  Facts facts;
  for (const auto& [first, last] : {std::pair{0, 20}, std::pair{22, 30}}) {
    Target& target = facts.targets.emplace_back();
    for (TimeMs i = first; i <= last; ++i) target.scrapes.push_back(i * 15'000);
  }
  std::swap(facts.targets[0], facts.targets[1]);
  for (const TimeRange& range : {TimeRange{0, 30 * 15'000}, TimeRange{100'000, 400'000}}) {
    const ColumnCounts c = CountColumns(facts, {}, range);
    ASSERT_GE(c.columns(), 1U);
    EXPECT_LE(c.edges.front() - range.start, 15'000);
    EXPECT_LE(range.end - c.edges.back(), 15'000);
    for (std::size_t i = 0; i < c.columns(); ++i) {
      EXPECT_EQ(c.edges[i + 1] - c.edges[i], 15'000);
      EXPECT_EQ(c.nobody_here[i], c.edges[i + 1] == 21 * 15'000) << c.edges[i + 1];
    }
  }
}

TEST(CountColumnsTest, StartsAreThoseOfAllTargetsInOrder) {
  Facts facts;
  facts.targets.resize(3);
  for (TimeMs t = 0; t <= 60'000; t += 15'000) facts.targets[1].scrapes.push_back(t);
  facts.targets[0].starts = {50'000};
  facts.targets[1].starts = {-5000, 20'000};
  EXPECT_THAT(CountColumns(facts, {}, {0, 60'000}).starts, ElementsAre(-5000, 20'000, 50'000));
}

TEST(CountColumnsTest, WhoIsScrapedLessOftenLeadsAllTheTime) {
  Facts facts;
  facts.targets.resize(2);
  for (TimeMs t = 0; t <= 1'200'000; t += 15'000) facts.targets[0].scrapes.push_back(t);
  for (TimeMs t = 0; t <= 1'200'000; t += 60'000) facts.targets[1].scrapes.push_back(t);
  Series leads{Labels({{"instance", "b"}}), {}, {}};
  for (const TimeMs t : facts.targets[1].scrapes) leads.samples.push_back({t, 1});
  facts.targets[0].id = Labels({{"instance", "a"}});
  facts.targets[1].id = leads.labels;
  facts.answers["leader"] = {leads};
  const ColumnCounts c = CountColumns(facts, {}, {0, 1'200'000});
  EXPECT_THAT(c.nobody_here, Each(false));
}

TEST(CountColumnsTest, CountsWithoutSumsAndBucketsSayNothingOfSeconds) {
  Facts facts;
  facts.targets.emplace_back().scrapes = {0, 15'000, 30'000};
  Histograms histograms;
  HistogramSeries child;
  child.labels = Labels({{"result", "scheduled"}});
  child.bounds = {INFINITY};
  child.times = facts.targets[0].scrapes;
  child.cumulative = {0, 10, 20};
  child.counts = {0, 10, 20};
  child.sums = {0, 5, std::nan("")};
  histograms.attempt.Add(child);
  const ColumnCounts c = CountColumns(facts, histograms, {0, 30'000});
  EXPECT_EQ(c.results.Sum(0, 2)[0], 20);
  EXPECT_EQ(c.attempts.Total(), 10) << "of the interval whose sum is known";
}

TEST(CountColumnsTest, WithoutTwoScrapesThereIsNone) {
  const Facts facts = FactsOf(Scraped({5000}));
  const Histograms histograms = GroupAll(facts);
  EXPECT_EQ(CountColumns(facts, histograms, {1, 4000}).columns(), 0U);
  EXPECT_EQ(CountColumns(facts, histograms, {5000, 5000}).columns(), 0U);
  EXPECT_EQ(CountColumns(facts, histograms, {9000, 1000}).columns(), 0U);
  EXPECT_EQ(CountColumns({}, {}, {0, 1000}).columns(), 0U);
}

TEST(CountColumnsTest, HoweverManyScrapesThereAreColumnsAreFew) {
  for (const TimeMs apart : {TimeMs{1}, TimeMs{7}, TimeMs{15'000}}) {
    for (const TimeMs n : {TimeMs{2}, TimeMs{300}, TimeMs{30'000}}) {
      Facts facts;
      facts.targets.emplace_back();
      for (TimeMs i = 0; i < n; ++i) facts.targets[0].scrapes.push_back(i * apart);
      const ColumnCounts c = CountColumns(facts, {}, {0, n * apart});
      ASSERT_GE(c.columns(), 1U) << apart << " " << n;
      EXPECT_LE(c.columns(), 6001U) << apart << " " << n;
      EXPECT_EQ(c.edges.back(), (n - 1) * apart);
      EXPECT_EQ(std::adjacent_find(c.edges.begin(), c.edges.end(), std::greater_equal<>()),
                c.edges.end())
          << apart << " " << n;
    }
  }
}

TEST(CountColumnsTest, LayoutsWithoutEndHaveABoundedNumberOfBounds) {
  constexpr int kLayouts = 1000;
  Facts facts;
  facts.targets.emplace_back().scrapes = {0, 5000, 10'000};
  Histograms histograms;
  for (int i = 0; i < kLayouts; ++i) {
    HistogramSeries child;
    child.labels = Labels({{"result", "scheduled"}, {"profile", std::to_string(i)}});
    child.bounds = {1 + i * 0.001, INFINITY};
    child.times = facts.targets[0].scrapes;
    child.cumulative = {0, 0, 1, 2, 2, 4};
    child.sums = child.counts = {0, 2, 4};
    histograms.attempt.Add(child);
  }
  const ColumnCounts c = CountColumns(facts, histograms, {0, 10'000});
  EXPECT_LE(c.attempt_bounds.size(), 256U);
  EXPECT_TRUE(std::isinf(c.attempt_bounds.back()));
  EXPECT_EQ(c.attempts.Total(), 4 * kLayouts) << "none is lost";
}

TEST(SliceColumnsTest, KeepsTheColumnsThatAreThere) {
  const ColumnCounts all = test::Play({{.columns = 10}}, 1);
  const struct {
    std::size_t first, last, columns;
  } cases[] = {{0, 10, 10}, {2, 5, 3}, {8, 20, 2}, {10, 12, 0}, {5, 5, 0}, {6, 2, 0}};
  for (const auto& c : cases) {
    const ColumnCounts part = SliceColumns(all, c.first, c.last);
    ASSERT_EQ(part.columns(), c.columns) << c.first;
    if (c.columns == 0) continue;
    EXPECT_EQ(part.edges.front(), all.edges[c.first]);
    EXPECT_EQ(part.pods.Sum(0, c.columns), all.pods.Sum(c.first, c.first + c.columns));
    EXPECT_EQ(part.nobody_here.size(), c.columns);
  }
  EXPECT_EQ(SliceColumns({}, 0, 5).columns(), 0U);
}

TEST(SliceColumnsTest, KeepsTheStarts) {
  ColumnCounts all = test::Play({{.columns = 10}}, 1);
  all.starts = {-1000, 40'000};
  EXPECT_EQ(SliceColumns(all, 2, 5).starts, all.starts);
}

TEST(EdgeAtTest, IsTheFirstAtOrAfterAMomentButForAHair) {
  const ColumnCounts c = test::Play({{.columns = 3}}, 1);  // edges at 0, 15, 30 and 45 s
  const struct {
    TimeMs at;
    std::size_t edge;
  } cases[] = {{-1, 0},     {0, 0},      {400, 0},    {600, 1},
               {15'000, 1}, {15'500, 1}, {15'501, 2}, {99'000, 3}};
  for (const auto& one : cases) EXPECT_EQ(EdgeAt(c, one.at), one.edge) << one.at;
  EXPECT_EQ(EdgeAt({}, 5), 0U);
}

}  // namespace
}  // namespace schedlens
