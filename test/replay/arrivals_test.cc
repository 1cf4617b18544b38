#include <gtest/gtest.h>

#include <map>

#include "replay/fit.h"
#include "replay/played.h"

namespace schedlens {
namespace {

using sim::kSecond;

sim::Scenario TwoStretches() {
  sim::Scenario scenario;
  scenario.templates.resize(2);
  scenario.segments.resize(2);
  scenario.segments[1].start = 10 * kSecond;
  for (sim::Segment& segment : scenario.segments) segment.conditions.weights = {3, 1};
  return scenario;
}

TEST(WithArrivalsTest, PutsEveryPodIntoItsInterval) {
  const std::vector<CountedArrivals> counted = {{0, 5 * kSecond, 400, 0},
                                                {10 * kSecond, 15 * kSecond, 20, 0}};
  const sim::Scenario played = WithArrivals(TwoStretches(), counted, {1, 3}, 1);
  ASSERT_EQ(played.actions.size(), 400u + 60u);
  std::size_t early = 0, second = 0;
  sim::Nanos last = 0;
  for (const sim::Action& pod : played.actions) {
    EXPECT_GE(pod.at, last);
    last = pod.at;
    early += pod.at < 5 * kSecond;
    second += pod.pod_template == 1;
  }
  EXPECT_EQ(early, 400u);
  EXPECT_NEAR(static_cast<double>(second), 115, 40);
  EXPECT_EQ(played.segments[0].conditions.rate, 0) << "no Poisson arrivals besides";
}

TEST(WithArrivalsTest, TheSeedMovesPodsOnlyInsideTheirInterval) {
  const std::vector<CountedArrivals> counted = {{0, 5 * kSecond, 10, 0}};
  const sim::Scenario one = WithArrivals(TwoStretches(), counted, {1, 1}, 1);
  const sim::Scenario two = WithArrivals(TwoStretches(), counted, {1, 1}, 2);
  ASSERT_EQ(one.actions.size(), two.actions.size());
  EXPECT_NE(one.actions[0].at, two.actions[0].at);
}

TEST(WithArrivalsTest, WhatHadWaitedComesAtOnce) {
  const std::vector<CountedArrivals> counted = {{0, 5 * kSecond, 30, 20}};
  const sim::Scenario played = WithArrivals(TwoStretches(), counted, {1, 1}, 1);
  ASSERT_EQ(played.actions.size(), 30u);
  std::map<sim::Nanos, int> at;
  for (const sim::Action& pod : played.actions) ++at[pod.at];
  EXPECT_EQ(at.size(), 11u);
}

TEST(CountArrivalsTest, CountsWhatFoundANode) {
  const test::Played played = test::Play("bind.client-throttling");
  const Measurement& now = played.investigation.evidence->now;
  const auto all = CountArrivals(now, {now.breakdown.window.start, 0, 3600 * kSecond});
  const auto half = CountArrivals(now, {now.breakdown.window.start, 0, 180 * kSecond});
  const auto total = [](const std::vector<CountedArrivals>& counted) {
    double n = 0;
    for (const CountedArrivals& c : counted) n += c.count;
    return n;
  };
  EXPECT_NEAR(total(all), now.breakdown.points[kube::ExtensionPoint::kReserve].count,
              0.02 * total(all))
      << "intervals across the edges are cut";
  EXPECT_NEAR(total(half), total(all) / 2, 0.1 * total(all));
}

}  // namespace
}  // namespace schedlens
