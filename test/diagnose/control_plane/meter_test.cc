#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "diagnose/control_plane/control_plane_facts.h"

namespace schedlens {
namespace {

/// One process, scraped at the times of the samples and at `more`.
struct ScrapedMeter {
  ControlPlaneFacts facts;
  Series series;
};

ScrapedMeter Make(const std::vector<Sample>& samples, std::vector<TimeMs> more = {}) {
  ScrapedMeter out;
  out.series.labels = Labels({{"__name__", "x"}, {"job", "a"}, {"instance", "1"}});
  out.series.samples = samples;
  for (const Sample& sample : samples) more.push_back(sample.t);
  std::sort(more.begin(), more.end());
  out.facts.scrapes[ProcessLabels(out.series.labels)] = more;
  return out;
}

BoundedValue Increase(const ScrapedMeter& scraped, const TimeRange& window) {
  Meter meter(scraped.facts);
  meter.Add(scraped.series);
  return meter.Increase(window);
}

TEST(MeterTest, AnIncreaseLiesBetweenTheScrapesWithinAndAroundTheWindow) {
  const ScrapedMeter scraped = Make({{0, 0}, {10, 1}, {20, 3}, {30, 7}, {40, 15}});
  const BoundedValue between = Increase(scraped, {15, 35});
  EXPECT_EQ(between.low, 4);    // 20 to 30
  EXPECT_EQ(between.high, 14);  // 10 to 40
  EXPECT_EQ(between.value, 9);  // half of each edge's interval
  const BoundedValue exact = Increase(scraped, {10, 30});
  EXPECT_EQ(exact.low, 6);
  EXPECT_EQ(exact.high, 6);
}

TEST(MeterTest, NobodyKnowsTheMostWhereNoScrapeIsBeyondTheWindow) {
  const ScrapedMeter scraped = Make({{0, 0}, {10, 1}, {20, 3}});
  EXPECT_EQ(Increase(scraped, {5, 20}).high, 3);
  EXPECT_TRUE(std::isinf(Increase(scraped, {5, 25}).high));
  EXPECT_TRUE(std::isinf(Increase(scraped, {-5, 15}).high));
}

TEST(MeterTest, GuessesAnIntervalBeyondTheScrapesByTheOneBeside) {
  const ScrapedMeter scraped = Make({{0, 0}, {10, 1}, {20, 3}});
  EXPECT_DOUBLE_EQ(Increase(scraped, {10, 25}).value, 3);
  EXPECT_DOUBLE_EQ(Increase(scraped, {10, 90}).value, 4);
  EXPECT_DOUBLE_EQ(Increase(scraped, {-5, 10}).value, 1.5);
}

TEST(MeterTest, ACounterThatFallsBeganAgain) {
  EXPECT_EQ(Increase(Make({{0, 5}, {10, 8}, {20, 2}, {30, 4}}), {0, 30}).value, 3 + 2 + 2);
}

TEST(MeterTest, NobodyKnowsTheMostOfACounterThatBeganAgain) {
  const ScrapedMeter fell = Make({{0, 5}, {10, 8}, {20, 2}, {30, 4}, {40, 6}});
  EXPECT_TRUE(std::isinf(Increase(fell, {0, 30}).high)) << "who knows what it was when it stopped";
  EXPECT_EQ(Increase(fell, {0, 30}).low, 7);
  EXPECT_EQ(Increase(fell, {20, 30}).high, 2) << "it began before";
}

TEST(MeterTest, OfADifferenceThatBeganAgainNothingIsProven) {
  const ScrapedMeter whole = Make({{0, 5}, {10, 8}, {20, 2}, {30, 4}});
  Series part = whole.series;
  for (Sample& sample : part.samples) sample.v /= 2;
  Meter rest(whole.facts), taken(whole.facts);
  rest.Add(whole.series);
  taken.Add(part);
  rest.TakeOff(taken);
  EXPECT_EQ(rest.Increase({0, 30}).low, 0);
  EXPECT_EQ(rest.Increase({20, 30}).low, 1);
}

TEST(MeterTest, EachProcessByItself) {
  ScrapedMeter both = Make({{0, 0}, {10, 4}, {20, 9}});
  const Labels first = ProcessLabels(both.series.labels);
  Series second = both.series;
  second.labels = second.labels.With("instance", "2");
  second.samples = {{5, 0}, {15, 1}};
  both.facts.scrapes[ProcessLabels(second.labels)] = {5, 15};
  Meter meter(both.facts);
  meter.Add(both.series);
  meter.Add(second);
  EXPECT_EQ(meter.processes().size(), 2u);
  EXPECT_EQ(meter.IncreaseOf(first, {0, 20}).value, 9);
  EXPECT_EQ(meter.IncreaseOf(ProcessLabels(second.labels), {5, 15}).value, 1);
  EXPECT_EQ(meter.IncreaseOf(Labels({{"job", "other"}}), {0, 20}).value, 0);
}

TEST(MeterTest, ASeriesThatBeginsAfterItsProcessWasScrapedBeganAtZero) {
  EXPECT_EQ(Increase(Make({{20, 6}, {30, 7}}, {0, 10}), {0, 30}).value, 7);
  EXPECT_EQ(Increase(Make({{20, 6}, {30, 7}}), {20, 30}).value, 1) << "nobody knows since when";
}

TEST(MeterTest, HoldsTheTruthOfEveryWindow) {
  std::mt19937_64 random(5);
  std::exponential_distribution<double> gap(0.2), size(3);
  std::vector<std::pair<double, double>> events;
  for (double t = 0; t < 1000; t += gap(random)) events.emplace_back(t, size(random));
  const auto total = [&](TimeMs from, TimeMs to) {
    double sum = 0;
    for (const auto& [t, by] : events) {
      sum += t > static_cast<double>(from) && t <= static_cast<double>(to) ? by : 0;
    }
    return sum;
  };
  std::vector<Sample> samples;
  for (TimeMs t = 0; t <= 1000; t += 30) samples.push_back({t, total(-1, t)});
  const ScrapedMeter scraped = Make(samples);
  for (int round = 0; round < 200; ++round) {
    const auto start = static_cast<TimeMs>(random() % 600);
    const TimeRange window{start, start + 1 + static_cast<TimeMs>(random() % 300)};
    const double truth = total(window.start, window.end);
    const BoundedValue between = Increase(scraped, window);
    EXPECT_LE(between.low, truth + 1e-9);
    EXPECT_GE(between.high, truth - 1e-9);
  }
}

}  // namespace
}  // namespace schedlens
