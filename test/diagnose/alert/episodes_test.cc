#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/alert/panel.h"

namespace schedlens {
namespace {

constexpr TimeMs kEpisodeScrape = 15'000;

/// One column a scrape, from time 0 on.
Timeline Shown(const std::vector<double>& values) {
  Timeline timeline;
  for (const double value : values) {
    timeline.times.push_back(kEpisodeScrape * static_cast<TimeMs>(timeline.times.size()));
    timeline.shown.push_back(value);
  }
  return timeline;
}

AlertVerdict Over(double threshold) {
  AlertVerdict alert;
  alert.threshold = threshold;
  alert.comparison = ">";
  return alert;
}

TEST(EpisodesOf, PendingThenFiringThenResolved) {
  const auto all = EpisodesOf(Shown({1, 4, 4, 4, 4, 1, 4, 1}), Over(3), 30'000, {});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].pending, 15'000);
  EXPECT_EQ(all[0].firing, 45'000);
  EXPECT_EQ(all[0].resolved, 75'000);
  EXPECT_EQ(all[1].pending, 90'000);
  EXPECT_FALSE(all[1].firing);  // it held for half of its time
  EXPECT_EQ(all[1].resolved, 105'000);
}

TEST(EpisodesOf, WhatHoldsToTheEndIsNotResolved) {
  const auto all = EpisodesOf(Shown({1, NAN, 4, NAN, 4, 4}), Over(3), 30'000, {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].pending, 30'000);
  EXPECT_EQ(all[0].firing, 60'000);
  EXPECT_FALSE(all[0].resolved);
}

TEST(EpisodesOf, AKnownFiringCounts) {
  const std::vector<Firing> known = {{Labels(), 62'000, 81'000}, {Labels(), 62'000, 81'000}};
  const auto all = EpisodesOf(Shown({1, 4, 4, 4, 4, 1}), Over(3), 30'000, known);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].pending, 32'000);
  EXPECT_EQ(all[0].firing, 62'000);
  EXPECT_EQ(all[0].resolved, 81'000);
  const auto alone = EpisodesOf({}, AlertVerdict(), 30'000, known);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].pending, 32'000);
}

TEST(EpisodesOf, NoneWithoutAFor) {
  EXPECT_TRUE(EpisodesOf(Shown({4, 4, 4}), Over(3), 0, {}).empty());
  EXPECT_TRUE(EpisodesOf(Shown({4, 4, 4}), AlertVerdict(), 30'000, {}).empty());
}

TEST(SecondsAbove, AreOfTheWindowAlone) {
  const Timeline timeline = Shown({1, 4, 4, 1, 4});
  EXPECT_EQ(SecondsAbove(timeline, Over(3), {0, 60'000}), 45);
  EXPECT_EQ(SecondsAbove(timeline, Over(3), {20'000, 60'000}), 25);
  EXPECT_EQ(SecondsAbove(timeline, Over(5), {0, 60'000}), 0);
  EXPECT_FALSE(SecondsAbove(timeline, AlertVerdict(), {0, 60'000}));
  EXPECT_FALSE(SecondsAbove(timeline, Over(3), {600'000, 660'000}));
}

}  // namespace
}  // namespace schedlens
