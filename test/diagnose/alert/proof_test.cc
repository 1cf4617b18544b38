#include <gtest/gtest.h>

#include "diagnose/alert/panel.h"
#include "diagnose/recorder.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::Attempt;

/// Scraped every minute; between two scrapes 100 attempts, slow ones in the given minutes.
test::Recorder Minutes(int slow_from, int slow_until) {
  test::Recorder r;
  r.Run({});
  r.Scrape(0);
  for (int minute = 1; minute <= 10; ++minute) {
    const bool slow = minute >= slow_from && minute <= slow_until;
    for (int i = 0; i < 100; ++i) r.Run({.bind = slow ? 0.6 : 0.06});
    r.Scrape(minute * 60'000);
  }
  return r;
}

/// What is proven of p50 > 0.512 over three minutes that end at `end`.
AlertVerdict Prove(const test::Recorder& r, TimeMs end, double shown, int major = 2) {
  const auto alert = promql::ParseAlertExpression(
      "histogram_quantile(0.5, sum by (le) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[3m]))) > 0.512");
  Semantics semantics;
  semantics.major = major;
  semantics.minor = major == 2 ? 42 : 0;
  testing_support::StoreSource source(r.series(), semantics);
  const Facts facts = Collect(source, QuerySet::Embedded(), "", {-1, 600'000});
  const Histograms histograms = GroupAll(facts);
  AlertVerdict verdict;
  verdict.threshold = 0.512;
  verdict.shown = shown;
  ProveAlert(source, facts, histograms, alert, {}, end, &verdict);
  return verdict;
}

TEST(AlertProof, HoldsFromTheScrapeBeforeTheRangeAndFromTheFirstOneInside) {
  // From 4:30 to 7:30 the server sees the scrapes of 5, 6 and 7 minutes; before them is that of 4.
  const AlertVerdict verdict = Prove(Minutes(5, 7), 450'000, 0.6);
  EXPECT_EQ(verdict.decided, Decided::kAbove);
  EXPECT_TRUE(verdict.notes.empty());
  EXPECT_FALSE(verdict.shown_proven_wrong);
}

TEST(AlertProof, WhereTheTwoDifferNothingIsDecided) {
  // Slow is what was scraped at 6 and 7 minutes: two of three, and both of two.
  const AlertVerdict above = Prove(Minutes(6, 7), 450'000, 0.7);
  EXPECT_EQ(above.decided, Decided::kAbove);
  // Slow is what was scraped at 5 and 6 minutes: two of three, but one of two.
  const AlertVerdict differs = Prove(Minutes(5, 6), 450'000, 0.5);
  EXPECT_EQ(differs.decided, Decided::kUndecidable);
  ASSERT_EQ(differs.notes.size(), 1u);
  EXPECT_NE(InEnglish(differs.notes[0]).find("the answers differ"), std::string::npos);
  EXPECT_LE(*differs.interval.low, 0.064) << "the interval is that of both";
  EXPECT_GE(*differs.interval.high, 0.6);
  EXPECT_FALSE(differs.shown_proven_wrong);
}

TEST(AlertProof, AScrapeAtTheVeryStartIsTheServersBeforePrometheus3) {
  const test::Recorder r = Minutes(5, 6);
  // From 4 to 7 minutes: two of three are slow for a closed range, one of two for an open one.
  EXPECT_EQ(Prove(r, 420'000, 0.6, 2).decided, Decided::kAbove);
  EXPECT_EQ(Prove(r, 420'000, 0.6, 3).decided, Decided::kUndecidable);
}

TEST(AlertProof, WhatIsShownOutsideOfWhatIsProvenIsWrong) {
  EXPECT_TRUE(Prove(Minutes(5, 7), 450'000, 0.4).shown_proven_wrong);
  EXPECT_TRUE(Prove(Minutes(5, 7), 450'000, 2.7).shown_proven_wrong);
}

}  // namespace
}  // namespace schedlens
