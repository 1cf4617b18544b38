#include <gtest/gtest.h>

#include "diagnose/causes/measurement.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Quick;

/// What is found in the incident: binds of `seconds` for the attempts that `is_slow` names, ten a
/// second, the first with number 1000 at second 100.
std::optional<BriefSlowness> Find(const std::function<bool(int)>& is_slow, double seconds = 0.3) {
  const auto r =
      test::Judge([&](int i) { return is_slow(i) ? Attempt{.bind = seconds} : Quick(i); });
  return FindBriefSlowness(r.facts, r.c.now, r.c.baseline);
}

TEST(FindBriefSlownessTest, NamesTheTimeTheBoundAndTheAttempts) {
  const auto brief = Find([](int i) { return i >= 1500 && i < 1600; });
  ASSERT_TRUE(brief);
  EXPECT_EQ(brief->when, (TimeRange{150'000, 160'000}));
  EXPECT_DOUBLE_EQ(brief->bound, 0.008) << "quick attempts take five to eight milliseconds";
  EXPECT_EQ(brief->attempts, 100);
}

TEST(FindBriefSlownessTest, IsTheShortestTimeWithNineTenthsOfTheExcess) {
  // 5 of 100 slow attempts are elsewhere.
  const auto brief = Find([](int i) { return (i >= 1500 && i < 1595) || (i >= 2000 && i < 2005); });
  ASSERT_TRUE(brief);
  EXPECT_EQ(brief->when, (TimeRange{150'000, 160'000}));
}

TEST(FindBriefSlownessTest, WhatLastsIsNotBrief) {
  EXPECT_FALSE(Find([](int i) { return i >= 1500 && i < 2300; }));
  EXPECT_FALSE(Find([](int i) { return i % 20 == 0; })) << "here and there all the time";
}

TEST(FindBriefSlownessTest, HalfASecondAtP99MattersHoweverBrief) {
  EXPECT_FALSE(Find([](int i) { return i >= 1500 && i < 1600; }, 2));
}

TEST(FindBriefSlownessTest, FewerThanFiveAttemptsDoNotMatterHoweverLongItLasts) {
  const auto four = Find([](int i) { return i % 250 == 0 && i < 2000; });
  ASSERT_TRUE(four);
  EXPECT_EQ(four->attempts, 4);
  EXPECT_FALSE(Find([](int i) { return i % 250 == 0 && i < 2250; })) << "five do";
}

TEST(FindBriefSlownessTest, TwoScrapesAreBriefHoweverFarApart) {
  const auto with_slow_minutes = [](int minutes) {
    test::Recorder r;
    r.Run(Quick(0));
    r.Scrape(0);
    for (int minute = 1; minute <= 20; ++minute) {
      const bool slow = minute > 10 && minute <= 10 + minutes;
      for (int i = 0; i < 100; ++i) r.Run(slow && i % 10 == 0 ? Attempt{.bind = 0.3} : Quick(i));
      r.Scrape(minute * 60'000);
    }
    const Facts facts = FactsOf(r);
    const Histograms histograms = GroupAll(facts);
    return FindBriefSlowness(facts, Measure(facts, histograms, {600'000, 1'200'000}),
                             Measure(facts, histograms, {0, 600'000}))
        .has_value();
  };
  EXPECT_TRUE(with_slow_minutes(2));
  EXPECT_FALSE(with_slow_minutes(3));
}

TEST(FindBriefSlownessTest, NothingIsSlowerIsNotBriefEither) {
  EXPECT_FALSE(Find([](int) { return false; }));
  const auto r = test::Judge([](int i) { return i / 100 == 15 ? Attempt{.bind = 0.3} : Quick(i); });
  EXPECT_FALSE(FindBriefSlowness(r.facts, r.c.now, std::nullopt));
}

}  // namespace
}  // namespace schedlens
