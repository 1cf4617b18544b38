#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/not_finite.h"
#include "messages/catalog.h"
#include "stats/cells.h"
#include "stats/proven_interval.h"
#include "stats/truth_model.h"

namespace schedlens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::Cells;

Link Above(ScrapeIncreases cells) { return {"longer", true, {std::move(cells)}}; }
Link Below(ScrapeIncreases cells) { return {"shorter", false, {std::move(cells)}}; }
ProvenQuantile Prove(const std::vector<LinkedProcess>& processes, double q) {
  return ProveLinked(processes, std::span(&q, 1)).front();
}

// Ten in (4, 8]; the same ten, a little longer, in (5, 6.4] of the other ladder.
TEST(ProveLinkedQuantileTest, AnOffsetLadderCutsTheBucket) {
  const LinkedProcess process{{Cells({1, 2, 4, 8, kInfinity}, {{{0, 0, 0, 10, 0}, 57}})},
                              {Above(Cells({2.5, 5, 6.4, kInfinity}, {{{0, 0, 10, 0}, 57.01}}))}};
  const std::vector<LinkedProcess> processes = {process};
  const auto proven = Prove(processes, 0.9);
  EXPECT_GE(*proven.proof.interval.low, 4.98);  // the sum adds its own: 5.44
  EXPECT_LE(*proven.proof.interval.high, 6.4 + 1e-6);
  EXPECT_THAT(proven.basis.names, ElementsAre("longer"));
  EXPECT_THAT(InEnglish(proven.reasons), Contains(HasSubstr("in 1 of 1 scrape intervals")));
}

TEST(ProveLinkedQuantileTest, ASaturatedPartInheritsTheBracketOfTheWhole) {
  // Bind's ladder ends at 0.2; e2e knows that the ten lie in (2, 4].
  const LinkedProcess process{{Cells({0.1, 0.2, kInfinity}, {{{0, 0, 10}, 30}})},
                              {Above(Cells({1, 2, 4, 8, kInfinity}, {{{0, 0, 10, 0, 0}, 30.05}}))}};
  const std::vector<LinkedProcess> processes = {process};
  const auto proven = Prove(processes, 0.99);
  EXPECT_GE(*proven.proof.interval.low, 1.94);
  EXPECT_LE(*proven.proof.interval.high, 4.0 + 1e-6);
  const std::vector<LinkedProcess> alone = {{process.children, {}}};
  EXPECT_GT(*Prove(alone, 0.99).proof.interval.high, 20);
}

TEST(ProveLinkedQuantileTest, APartBoundsTheWholeFromBelow) {
  const LinkedProcess process{{Cells({1, 8, kInfinity}, {{{0, 10, 0}}})},
                              {Below(Cells({3, 5, kInfinity}, {{{0, 10, 0}, 40}}))}};
  // The whole has no sum, so only order counts, not the difference: the premise needs both sums.
  const std::vector<LinkedProcess> without = {process};
  EXPECT_EQ(Prove(without, 0.5).proof.interval, (Interval{1, 8}));
  LinkedProcess with = process;
  with.children = {Cells({1, 8, kInfinity}, {{{0, 10, 0}, 40.5}})};
  const std::vector<LinkedProcess> processes = {with};
  const auto proven = Prove(processes, 0.5);
  EXPECT_GE(*proven.proof.interval.low, 3 - 1e-6);
  EXPECT_LE(*proven.proof.interval.high, 5.6);
}

TEST(ProveLinkedQuantileTest, DropsTheLinkWhereThePremiseFails) {
  const auto target = Cells({1, 2, 4, 8, kInfinity}, {{{0, 0, 0, 10, 0}, 57}});
  const auto check = [&](ScrapeIncreases other, const char* why) {
    const std::vector<LinkedProcess> processes = {{{target}, {Above(std::move(other))}}};
    const std::vector<LinkedProcess> alone = {{{target}, {}}};
    EXPECT_EQ(Prove(processes, 0.9).proof.interval, Prove(alone, 0.9).proof.interval) << why;
  };
  check(Cells({5, 6.4, kInfinity}, {{{0, 9, 0}, 57.01}}), "another number of attempts");
  check(Cells({5, 6.4, kInfinity}, {{{0, 10, 0}, 56}}), "a smaller sum");
  check(Cells({5, 6.4, kInfinity}, {{{0, 10, 0}}}), "no sum");
  auto shifted = Cells({5, 6.4, kInfinity}, {{{0, 10, 0}, 57.01}});
  shifted.edges = {1, 5001};
  check(shifted, "other scrape times");
  auto older = Cells({5, 6.4, kInfinity}, {{{0, 10, 0}, 57.01}});
  older.count_at = {3, 13};
  check(older, "as many, but not the same ones");
  auto reset = Cells({5, 6.4, kInfinity}, {{{0, 10, 0}, 57.01}});
  reset.reset[0] = true;
  check(reset, "a reset");
}

TEST(CountAboveLinkedTest, IsTheTighterOfBoth) {
  const std::vector<LinkedProcess> processes = {
      {{Cells({1, 2, 4, 8, kInfinity}, {{{0, 0, 0, 10, 0}, 57}})},
       {Above(Cells({2.5, 5, 6.4, kInfinity}, {{{0, 0, 10, 0}, 57.01}}))}}};
  EXPECT_EQ(CountAboveLinked(processes, 4.9).low, 10);
  EXPECT_EQ(CountAboveLinked(processes, 6.5).high, 0);
}

/// A window of attempts with three clocks: part <= whole <= wider, each with its own ladder.
struct Clocks {
  ScrapeIncreases part, whole, wider;
  std::vector<double> wholes, parts;
};

HistogramSeries SeriesOf(double first, double factor, int bounds) {
  HistogramSeries series;
  for (int b = 0; b < bounds; ++b, first *= factor) series.bounds.push_back(first);
  series.bounds.push_back(kInfinity);
  return series;
}

void Scrape(TimeMs t, const std::vector<double>& all, HistogramSeries* series) {
  series->times.push_back(t);
  double sum = 0;
  for (const double bound : series->bounds) {
    double count = 0;
    for (const double x : all) count += x <= bound;
    series->cumulative.push_back(count);
  }
  for (const double x : all) sum += x;
  series->sums.push_back(sum);
  series->counts.push_back(static_cast<double>(all.size()));
}

Clocks DrawClocks(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  const double scale = 0.01 * std::pow(300, unit(random));
  const double extra = random() % 2 == 0 ? 0.001 : 0.3 * scale;
  HistogramSeries part = SeriesOf(0.0001, 2, 12);
  HistogramSeries whole = SeriesOf(0.001, 2, 15);
  HistogramSeries wider = SeriesOf(0.01, 2, 20);
  std::lognormal_distribution<double> law(std::log(scale), 0.3 + unit(random));
  std::vector<double> parts, wholes, widers;
  std::size_t before = 0;
  const std::size_t per_scrape = 1 + random() % 30;
  for (TimeMs t = 0; t <= 100000; t += 5000) {
    for (std::size_t i = 0; i < per_scrape; ++i) {
      parts.push_back(law(random));
      wholes.push_back(parts.back() + extra * unit(random));
      widers.push_back(wholes.back() + (random() % 20 == 0 ? unit(random) : 1e-5));
    }
    // Now and then one clock is scraped a moment before its attempt is observed.
    const bool torn = random() % 10 == 0;
    std::vector<double> seen = widers;
    if (torn) seen.pop_back();
    Scrape(t, parts, &part);
    Scrape(t, wholes, &whole);
    Scrape(t, seen, &wider);
    if (t == 0) before = wholes.size();
  }
  const auto cut = [](const HistogramSeries& s) {
    return IncreasesBetweenScrapes(s, s.times, {0, 100000});
  };
  Clocks out{cut(part), cut(whole), cut(wider), {}, {}};
  out.wholes.assign(wholes.begin() + static_cast<std::ptrdiff_t>(before), wholes.end());
  out.parts.assign(parts.begin() + static_cast<std::ptrdiff_t>(before), parts.end());
  std::sort(out.wholes.begin(), out.wholes.end());
  std::sort(out.parts.begin(), out.parts.end());
  return out;
}

void ExpectHolds(const LinkedProcess& process, const std::vector<double>& values,
                 std::size_t* narrowed) {
  const std::vector<LinkedProcess> processes = {process};
  for (const double q : {0.5, 0.9, 0.99}) {
    const auto proven = Prove(processes, q);
    const double truth = values[static_cast<std::size_t>(proven.rank) - 1];
    ASSERT_LE(proven.proof.interval.low.value_or(0), truth) << ToString(proven.basis);
    ASSERT_GE(proven.proof.interval.high.value_or(kInfinity), truth) << ToString(proven.basis);
    *narrowed += !proven.basis.names.empty();
  }
}

TEST(ProveLinkedQuantileTest, HoldsTheTruthInEveryRandomWindow) {
  std::mt19937_64 random(9);
  const int windows = std::getenv("SCHEDLENS_NIGHTLY") != nullptr ? 1000 : 150;
  std::size_t narrowed = 0;
  for (int w = 0; w < windows; ++w) {
    const Clocks clocks = DrawClocks(random);
    ExpectHolds({{clocks.whole}, {Below(clocks.part), Above(clocks.wider)}}, clocks.wholes,
                &narrowed);
    ExpectHolds({{clocks.part}, {Above(clocks.whole), Above(clocks.wider)}}, clocks.parts,
                &narrowed);
  }
  EXPECT_GT(narrowed, static_cast<std::size_t>(windows));
}

// Intervals that say the same at both ends of a bracket are not asked again inside it; nor are the
// steps that cannot matter there.
TEST(ProveLinkedTest, FindsWhatABisectionOfTheWholeCountFinds) {
  std::mt19937_64 random(11);
  std::size_t narrowed = 0;
  for (int w = 0; w < 40; ++w) {
    const Clocks clocks = DrawClocks(random);
    const std::vector<LinkedProcess> processes = {
        {{clocks.whole}, {Below(clocks.part), Above(clocks.wider)}}};
    for (const double q : {0.1, 0.5, 0.9}) {
      const ProvenQuantile alone = ProveQuantile(processes[0].children, q);
      const Interval linked = Prove(processes, q).proof.interval;
      if (!alone.proof.interval.high || linked == alone.proof.interval) continue;
      const double low = *alone.proof.interval.low, high = *alone.proof.interval.high;
      const auto above = [&](double x) { return CountAboveLinked(processes, x); };
      const double n = alone.observations;
      const auto most = [&](double x) { return n - above(x).low >= alone.rank; };
      const auto least = [&](double x) { return n - above(x).high >= alone.rank; };
      if (linked.low != low) {
        ASSERT_EQ(*linked.low, Bisect(low, high, most).below) << w;
      }
      if (linked.high != high) {
        ASSERT_EQ(*linked.high, Bisect(low, high, least).above) << w;
      }
      ++narrowed;
    }
  }
  EXPECT_GT(narrowed, 0u);
}

using testing_support::Cells;

std::vector<LinkedProcess> OneOf(ScrapeIncreases cells) { return {{{std::move(cells)}, {}}}; }

TEST(JudgeThresholdTest, AThresholdOnABoundIsAMatterOfCounting) {
  const auto processes = OneOf(Cells({1, 2, 4, kInfinity}, {{{90, 9, 1, 0}}}));
  EXPECT_EQ(JudgeThreshold(processes, 0.99, 2, ">").decided, Decided::kBelow);
  EXPECT_EQ(JudgeThreshold(processes, 0.995, 2, ">").decided, Decided::kAbove);
  EXPECT_FALSE(JudgeThreshold(processes, 0.99, 2, ">").inside_bucket);
}

TEST(JudgeThresholdTest, InsideTheBucketOfTheRankItIsUndecidable) {
  const auto verdict =
      JudgeThreshold(OneOf(Cells({1, 2, 4, kInfinity}, {{{90, 0, 10, 0}}})), 0.99, 3, ">");
  EXPECT_EQ(verdict.decided, Decided::kUndecidable);
  EXPECT_TRUE(verdict.inside_bucket);
  EXPECT_EQ(verdict.decidable_below, 2);
  EXPECT_EQ(verdict.decidable_above, 4);
}

TEST(JudgeThresholdTest, InsideAnotherBucketItIsDecided) {
  const auto processes = OneOf(Cells({1, 2, 4, kInfinity}, {{{90, 0, 10, 0}}}));
  EXPECT_EQ(JudgeThreshold(processes, 0.99, 1.5, ">").decided, Decided::kAbove);
  EXPECT_EQ(JudgeThreshold(processes, 0.5, 1.5, ">").decided, Decided::kBelow);
}

TEST(JudgeThresholdTest, SumsDecideWhatBucketsCannot) {
  const auto processes = OneOf(Cells({1, 2, 4, kInfinity}, {{{0, 0, 2, 0}, 7.9}}));
  EXPECT_EQ(JudgeThreshold(processes, 0.5, 3, ">").decided, Decided::kAbove);
}

TEST(JudgeThresholdTest, AtOrOverTheTopBoundItCanNeverFire) {
  const auto processes = OneOf(Cells({1, 2, kInfinity}, {{{0, 0, 10}, 100}}));
  const auto at_top = JudgeThreshold(processes, 0.99, 2, ">");
  EXPECT_TRUE(at_top.can_never_fire);
  EXPECT_EQ(at_top.decided, Decided::kAbove);  // the truth is above; the server cannot say so
  EXPECT_EQ(at_top.top_bound, 2);
  EXPECT_FALSE(JudgeThreshold(processes, 0.99, 2, ">=").can_never_fire);
  EXPECT_TRUE(JudgeThreshold(processes, 0.99, 2.5, ">=").can_never_fire);
  EXPECT_FALSE(JudgeThreshold(processes, 0.99, 5, "<").can_never_fire);
}

TEST(JudgeThresholdTest, TornCountsDecideNothing) {
  ScrapeIncreases cells = Cells({1, 2, kInfinity}, {{{3, 0, 1}, 5}});
  cells.torn = true;
  EXPECT_EQ(JudgeThreshold(OneOf(cells), 0.5, 2, ">").decided, Decided::kUndecidable);
}

TEST(JudgeThresholdTest, WithoutDataThereIsNoVerdict) {
  EXPECT_FALSE(JudgeThreshold({}, 0.99, 1, ">").decided);
  EXPECT_FALSE(JudgeThreshold(OneOf(Cells({1, kInfinity}, {{{0, 0}}})), 0.99, 1, ">").decided);
  EXPECT_FALSE(JudgeThreshold(OneOf(Cells({1, 2}, {{{1, 1}}})), 0.99, 1, ">").decided);
  EXPECT_FALSE(
      JudgeThreshold(OneOf(Cells({1, kInfinity}, {{{1, 1}}})), 0.99, std::nan(""), ">").decided);
}

TEST(JudgeThresholdTest, IsNeverWrongOnRandomWindows) {
  std::mt19937_64 random(5);
  int decided = 0;
  for (int w = 0; w < 300; ++w) {
    const auto window = testing_support::DrawWindow(testing_support::DrawOptions(random), random);
    if (window.values.empty() || window.children.empty()) continue;
    const std::vector<LinkedProcess> processes = {{window.children, {}}};
    const double rank = RankOf(0.99, static_cast<double>(window.values.size()));
    const double truth = window.values[static_cast<std::size_t>(rank) - 1];
    for (const double factor : {0.3, 0.9, 0.999, 1.001, 1.2, 4.0}) {
      const auto verdict = JudgeThreshold(processes, 0.99, factor * truth, ">");
      if (*verdict.decided == Decided::kUndecidable) continue;
      ++decided;
      EXPECT_EQ(*verdict.decided == Decided::kAbove, factor < 1) << w << " " << factor;
    }
  }
  EXPECT_GT(decided, 600);
}

}  // namespace
}  // namespace schedlens
