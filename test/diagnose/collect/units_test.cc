#include "diagnose/collect/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/alert/alert.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr int kScrapes = 60;
constexpr TimeMs kStep = 10'000;

/// Whether a scheduler finishes attempts between this scrape and the one before.
using Works = bool (*)(int);

bool Always(int) { return true; }
bool Never(int) { return false; }

/// Facts of schedulers with these labels that work when they say so.
Facts Working(const std::vector<std::pair<Labels, Works>>& schedulers) {
  Facts facts;
  for (const auto& [labels, works] : schedulers) {
    Series series{
        labels.With(kMetricName, "scheduler_e2e_scheduling_duration_seconds_count"), {}, {}};
    double count = 3;
    for (int i = 0; i < kScrapes; ++i) {
      if (works(i)) count += 5;
      series.samples.push_back({i * kStep, count});
    }
    facts.answers["attempt"].push_back(std::move(series));
  }
  std::vector<const Series*> own;
  for (const Series& series : facts.answers["attempt"]) own.push_back(&series);
  facts.targets = TargetsOf(own);
  return facts;
}

Labels Scheduler(const std::string& name) {
  return {{"job", "s"}, {"instance", name + ":1"}, {"pod", name}};
}

std::vector<std::string> Selectors(const std::vector<SchedulerUnit>& units) {
  std::vector<std::string> texts;
  for (const SchedulerUnit& unit : units) texts.push_back(MatchersText(unit.matchers));
  return texts;
}

TEST(UnitsTest, ReplicasOfOneElectionAreOne) {
  const auto first_half = [](int i) { return i < 30; };
  const auto second_half = [](int i) { return i >= 29; };
  const auto in_the_middle = [](int i) { return i >= 20 && i < 40; };
  const auto at_the_ends = [](int i) { return i < 21 || i > 38; };
  const std::pair<Works, Works> cases[] = {
      {Always, Never}, {first_half, second_half}, {in_the_middle, at_the_ends}, {Never, Never}};
  for (const auto& [one, other] : cases) {
    const auto units = UnitsOf(Working({{Scheduler("a"), one}, {Scheduler("b"), other}}));
    ASSERT_THAT(units, SizeIs(1));
    EXPECT_THAT(units[0].targets, ElementsAre(0, 1));
    EXPECT_THAT(units[0].matchers, IsEmpty());
    EXPECT_THAT(units[0].labels, IsEmpty());
  }
}

TEST(UnitsTest, SchedulersThatWorkAtTheSameTimeAreTwo) {
  const auto now_and_then = [](int i) { return i % 7 == 3; };
  const auto in_turn = [](int i) { return i % 7 == 6; };
  const std::pair<Works, Works> cases[] = {
      {Always, Always}, {Always, now_and_then}, {now_and_then, in_turn}};
  for (const auto& [one, other] : cases) {
    const auto units =
        UnitsOf(Working({{Scheduler("a"), one}, {Scheduler("b"), other}, {Scheduler("c"), Never}}));
    ASSERT_THAT(units, SizeIs(2));
    EXPECT_THAT(Selectors(units), ElementsAre("instance=~\"a:1|c:1\"", "instance=\"b:1\""));
    EXPECT_THAT(units[1].labels, ElementsAre(Pair("instance", "b:1")));
  }
}

TEST(UnitsTest, ClusterJobAndNamespaceTellSchedulersApart) {
  const Labels a = Scheduler("a");
  const auto units = UnitsOf(Working({{a.With("cluster", "eu"), Always},
                                      {a.With("cluster", "us").With("namespace", "x"), Always},
                                      {a, Never}}));
  EXPECT_THAT(Selectors(units),
              ElementsAre("cluster=\"eu\",namespace=\"\"", "cluster=\"us\",namespace=\"x\"",
                          "cluster=\"\",namespace=\"\""));
  EXPECT_THAT(units.at(0).labels, ElementsAre(Pair("cluster", "eu"), Pair("namespace", "")));
}

TEST(UnitsTest, WhatAnAlertKeepsTellsThemApartToo) {
  const Facts facts = Working(
      {{Scheduler("a").With("region", "r"), Always}, {Scheduler("b").With("region", "q"), Never}});
  EXPECT_THAT(UnitsOf(facts), SizeIs(1));
  EXPECT_THAT(Selectors(UnitsOf(facts, {"region"})), ElementsAre("region=\"r\"", "region=\"q\""));
}

}  // namespace
}  // namespace schedlens
